/** Callers, the access that routes demand, and the interface behind which identities are kept: the kit itself knows no user and no key. */
import type { IncomingMessage } from 'node:http';

/** `<object>:<action>`; a key that may write may also read. */
export type Scope = `${string}:${'read' | 'write'}`;

/** The member of a JSON body that may carry the caller's key. */
export const KEY_IN_BODY = 'personal_api_key';

/** Levels of access to an object, from none to deciding who else has access. */
export const LEVELS = ['none', 'viewer', 'editor', 'manager'] as const;
export type Level = (typeof LEVELS)[number];

/** Whether a level is as high as the wanted one. */
export function reaches(level: Level, wanted: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(wanted);
}

/** A member's standing in an organization. */
export const ORGANIZATION_ROLES = ['member', 'admin', 'owner'] as const;
export type OrganizationRole = (typeof ORGANIZATION_ROLES)[number];

/** Whether a standing is as high as the wanted one. */
export function isAtLeast(role: OrganizationRole, wanted: OrganizationRole): boolean {
  return ORGANIZATION_ROLES.indexOf(role) >= ORGANIZATION_ROLES.indexOf(wanted);
}

/**
 * Access that a route demands, which also decides its path.
 * - With a scope it lives inside a project: its path is relative to `/api/environments/:project_id` (and `/api/projects/:project_id`),
 *   and its handler gets the project.
 * - With an organization scope it lives inside one: its path is relative to `/api/organizations/:organization_id`.
 * - The other two have absolute paths.
 */
export type Access = ProjectAccess | OrganizationAccess | UserAccess | PublicAccess;

export type ProjectAccess = {
  scope: Scope;
  /** Only for admins of the project. */
  admin?: true;
  /** The object in the path, where single objects are protected: looked up, and the caller's level checked, before the body is read. */
  object?: ObjectAccess;
  /** The handler leaves out, or refuses one by one, what the caller's level does not reach: so people with access to single objects may ask. */
  filtered?: true;
} & LoginAccess;

/** Demands on callers who are logged in. */
export type LoginAccess = {
  /** Only for people who are logged in: every key is refused. */
  sessionOnly?: true;
  /** A session must be a recent one: for what a walk away from the screen must not cost. Keys may. */
  sensitive?: true;
};

export type ObjectAccess = {
  /** The kind, as in scopes: `dashboard`, `feature_flag`, ... */
  resource: string;
  /** The parameter of the path that names the object. */
  param: string;
  /** Which level it takes; without it, `viewer` to read and `editor` to write, as the scope says. `manager`: who decides about access. */
  level?: Level;
  /** One that is deleted is found, too: it may be restored. */
  deletedToo?: true;
  /** Detail where there is no such object, instead of `Not found.` */
  missing?: string;
  /** Detail for callers whose level is too low, instead of one that names it. */
  denied?: string;
};

export type OrganizationAccess = {
  organization: Scope;
  /** The least standing that it takes; without it every member may. */
  role?: OrganizationRole;
} & LoginAccess;

export type PublicAccess = {
  public: true;
  /** Where something may come back that is not for everybody: only our own pages may call it. Without it any web page may. */
  ownPages?: true;
};

export type UserAccess = {
  authenticated: true;
  needs?: Scope;
  /** Also for keys that are limited to some projects: they are refused by what is not about one. */
  limitedKeys?: true;
} & LoginAccess;

/**
 * The caller. A personal key and a session act as their user, a project secret key as its project.
 */
export type Caller = {
  /** null: not a key, but somebody who is logged in. */
  keyId: string | null;
  /** A session may do all that its user may: `*`. */
  scopes: readonly string[];
  /** A key may be limited to these; null: not. */
  onlyProjects: readonly number[] | null;
  onlyOrganizations: readonly string[] | null;
  session: { id: string; authenticatedAt: Date } | null;
} & ({ userId: number; projectId: null } | { userId: null; projectId: number });

/** The tenant that a request is about. */
export type Project = { id: number; organizationId: string; name: string };

/** The organization that a request is about, and what its caller is there. */
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
  /** By the organization, or by a rule that says so. */
  isProjectAdmin: boolean;
  /** With one object; without it with the kind as a whole, as for making one. */
  levelOf(resource: string, object?: Protected): Level;
  /** Which objects of a kind lists show: exactly those with which `levelOf` is not `none`. */
  visible(resource: string): Visible;
};

/** The objects of a kind that somebody sees: all but some, or only some, and always those that they made. */
export type Visible = { madeBy: number | null } & ({ except: readonly string[] } | { only: readonly string[] });

/** How a protected object is found. */
export type FindProtected = (projectId: number, id: string) => Promise<ProtectedFound | undefined>;

export type ProtectedFound = Protected & {
  /** For people who read what was done with it; without it, its id. */
  name?: string;
  /** A deleted object is there only for routes that ask for deleted ones, too. */
  deleted?: boolean;
  /** Why the caller may not change it, whatever their level; undefined: they may. */
  refusal?(caller: Caller, rights: Rights): string | undefined;
};

/** Where a request may carry a key or a session. Cookies count for what says its method: they come along without being asked. */
export type Credentials = Pick<IncomingMessage, 'headers' | 'headersDistinct'> & {
  method?: string | undefined;
  url?: string | undefined;
  /** The JSON body, read when it is asked for. It may throw as reading a body does. */
  body?(): Promise<unknown>;
};

export type Gatekeeper = {
  /**
   * By the header `Authorization`, else a key in the body, else one in the query, else a session.
   * @throws NotAuthenticated when the request carries no valid key and no session
   * @throws PermissionDenied when a session asks from what may be another site's page
   */
  authenticate(request: Credentials): Promise<Caller>;
  /**
   * The project that `@current` stands for: that of the public key, else the one that its user works in, else the only one that the
   * caller's key opens.
   * @throws NotFound when that is none, or one of several
   */
  current(caller: Caller, token: string | undefined): Promise<number>;
  /**
   * @throws NotFound when there is no such project
   * @throws PermissionDenied when the caller may not enter it, the key lacks the scope (named in the message), the user is no admin
   * and it takes one, or their level for this kind of object is too low
   */
  enter(caller: Caller, projectId: number, access: ProjectAccess): Promise<{ project: Project; rights: Rights }>;
  /**
   * @param id of the organization, or `@current`
   * @throws NotFound when there is no such organization, or the caller is not in it
   * @throws PermissionDenied when the key lacks the scope, or the caller's standing is too low
   */
  enterOrganization(caller: Caller, id: string, access: OrganizationAccess): Promise<Organization>;
  /** Whether the caller may do what takes no project. @throws PermissionDenied */
  allow(caller: Caller, access: UserAccess): void;
  /** @throws Throttled when the caller's key asked too often */
  throttle(caller: Caller): void;
  /**
   * @throws NotFound when there is no such object
   * @throws PermissionDenied when the caller's level with it is too low
   */
  guard(
    entered: { caller: Caller; project: Project; rights: Rights },
    access: ProjectAccess & { object: ObjectAccess },
    id: string,
  ): Promise<void>;
};
