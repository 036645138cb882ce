/** Callers, the access that routes demand, and the interface that identifies callers, so this folder does not depend on users and keys. */
import type { IncomingMessage } from 'node:http';

/** `<object>:<action>`; a key that may write may also read. */
export type Scope = `${string}:${'read' | 'write'}`;

/** The field of a JSON body that may carry the caller's key. */
export const KEY_IN_BODY = 'personal_api_key';

/** Levels of access to an object, from none to deciding who else has access. */
export const LEVELS = ['none', 'viewer', 'editor', 'manager'] as const;
export type Level = (typeof LEVELS)[number];

/** Whether a level reaches the required one. */
export function reaches(level: Level, required: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(required);
}

/** Roles of members in an organization, from the lowest to the highest. */
export const ORGANIZATION_ROLES = ['member', 'admin', 'owner'] as const;
export type OrganizationRole = (typeof ORGANIZATION_ROLES)[number];

/** Whether a role reaches the required one. */
export function isAtLeast(role: OrganizationRole, required: OrganizationRole): boolean {
  return ORGANIZATION_ROLES.indexOf(role) >= ORGANIZATION_ROLES.indexOf(required);
}

/**
 * Access that a route demands, which also decides its path.
 * - With a scope it lives inside a project: its path is relative to `/api/environments/:project_id` (and `/api/projects/:project_id`),
 *   and its handler gets the project.
 * - With an organization scope it lives inside an organization: its path is relative to `/api/organizations/:organization_id`.
 * - The other two have absolute paths.
 */
export type Access = ProjectAccess | OrganizationAccess | UserAccess | PublicAccess;

export type ProjectAccess = {
  scope: Scope;
  /** Only for admins of the project. */
  admin?: true;
  /** The object in the path, where single objects are protected: looked up, and the caller's level checked, before the body is read. */
  object?: ObjectAccess;
  /** The handler hides or refuses objects above the caller's level, so people with access to single objects may call the route. */
  filtered?: true;
} & LoginAccess;

/** Demands on callers who are logged in. */
export type LoginAccess = {
  /** Only for people who are logged in: every key is refused. */
  sessionOnly?: true;
  /** A session must be recent, so an unattended screen does no harm. Keys are accepted. */
  sensitive?: true;
};

export type ObjectAccess = {
  /** The kind, as in scopes: `dashboard`, `feature_flag`, ... */
  resource: string;
  /** The parameter of the path that names the object. */
  param: string;
  /** The level required; absent: `viewer` to read and `editor` to write, by the scope. `manager` decides about access. */
  level?: Level;
  /** Finds deleted objects too, because they may be restored. */
  includeDeleted?: true;
  /** Detail of the error when there is no such object, instead of `Not found.` */
  notFoundDetail?: string;
  /** Detail for callers whose level is too low, instead of one that names it. */
  deniedDetail?: string;
};

export type OrganizationAccess = {
  organization: Scope;
  /** The lowest role that may call the route; absent: every member may. */
  role?: OrganizationRole;
} & LoginAccess;

export type PublicAccess = {
  public: true;
  /** Only our own pages may call the route, because its answers may be private. Without this, any web page may. */
  ownPages?: true;
};

export type UserAccess = {
  authenticated: true;
  needs?: Scope;
  /** Also accepts keys limited to some projects, which routes outside a project refuse. */
  limitedKeys?: true;
} & LoginAccess;

/**
 * The caller. A personal key and a session act as their user, a project secret key as its project.
 */
export type Caller = {
  /** null: a person who is logged in, not a key. */
  keyId: string | null;
  /** A session may do all that its user may: `*`. */
  scopes: readonly string[];
  /** The projects that a key is limited to; null: no limit. */
  onlyProjects: readonly number[] | null;
  onlyOrganizations: readonly string[] | null;
  session: { id: string; authenticatedAt: Date } | null;
} & ({ userId: number; projectId: null } | { userId: null; projectId: number });

/** The tenant that a request is about. */
export type Project = { id: number; organizationId: string; name: string };

/** The organization of a request, and the caller's membership in it. */
export type Organization = { id: string; name: string; membershipId: string; role: OrganizationRole };

/** Protection of a single object. */
export type Protected = {
  id: string | number;
  /** The user who made it: its manager for ever. */
  createdBy: number | null;
};

/** Rights of the caller in the project, decided once for a request. */
export type Rights = {
  /** null: the caller is a key of the project. */
  membership: { id: string; role: OrganizationRole } | null;
  /** Whether the organization or an access rule makes the caller an admin of the project. */
  isProjectAdmin: boolean;
  /** The caller's level for one object, or, without one, for the kind as a whole, such as to create an object. */
  levelOf(resource: string, object?: Protected): Level;
  /** Which objects of a kind lists show: exactly those with which `levelOf` is not `none`. */
  visible(resource: string): Visible;
};

/** The objects of a kind that a caller sees: all but some, or only some, and always their own. */
export type Visible = { madeBy: number | null } & ({ except: readonly string[] } | { only: readonly string[] });

/** Finds a protected object. */
export type FindProtected = (projectId: number, id: string) => Promise<ProtectedFound | undefined>;

export type ProtectedFound = Protected & {
  /** The object's name in logs for people; absent: its id. */
  name?: string;
  /** Whether the object is deleted; only routes with `includeDeleted` find it then. */
  deleted?: boolean;
  /** The reason why the caller may not change the object at any level; undefined: they may. */
  refusal?(caller: Caller, rights: Rights): string | undefined;
};

/** Parts of a request that may carry a key or a session. Cookies count only with a method, because browsers send them unasked. */
export type Credentials = Pick<IncomingMessage, 'headers' | 'headersDistinct'> & {
  method?: string | undefined;
  url?: string | undefined;
  /** The JSON body, read when it is asked for. It may throw as reading a body does. */
  body?(): Promise<unknown>;
};

export type Gatekeeper = {
  /**
   * Identifies the caller by the header `Authorization`, else a key in the body, else one in the query, else a session.
   * @throws NotAuthenticated when the request carries no valid key and no session
   * @throws PermissionDenied when a request with a session may come from another site's page
   */
  authenticate(request: Credentials): Promise<Caller>;
  /**
   * Resolves `@current`: the project of the public key, else the caller's current project, else the only project that the
   * caller's key opens.
   * @throws NotFound when there is no such project, or more than one
   */
  current(caller: Caller, token: string | undefined): Promise<number>;
  /**
   * @throws NotFound when there is no such project
   * @throws PermissionDenied when the caller may not enter the project, when the key lacks the scope (named in the message), when the access
   *   demands an admin and the user is none, or when the user's level for this kind of object is too low
   */
  enter(caller: Caller, projectId: number, access: ProjectAccess): Promise<{ project: Project; rights: Rights }>;
  /**
   * @param id of the organization, or `@current`
   * @throws NotFound when there is no such organization, or the caller is not in it
   * @throws PermissionDenied when the key lacks the scope, or the caller's role is too low
   */
  enterOrganization(caller: Caller, id: string, access: OrganizationAccess): Promise<Organization>;
  /** Checks access to a route without a project. @throws PermissionDenied */
  allow(caller: Caller, access: UserAccess): void;
  /** @throws Throttled when the caller's key asked too often */
  throttle(caller: Caller): void;
  /**
   * @throws NotFound when there is no such object
   * @throws PermissionDenied when the caller's level with it is too low
   */
  guard(
    context: { caller: Caller; project: Project; rights: Rights },
    access: ProjectAccess & { object: ObjectAccess },
    id: string,
  ): Promise<void>;
};
