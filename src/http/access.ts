/** Who calls, what for, and the interface behind which identities are kept: the kit itself knows no user and no key. */
import type { IncomingMessage } from 'node:http';

/** `<object>:<action>`; a key that may write may also read. */
export type Scope = `${string}:${'read' | 'write'}`;

/**
 * Who may call a route. A route with a scope lives inside a project: its path is relative to
 * `/api/environments/:project_id` (and `/api/projects/:project_id`), and its handler gets the project.
 * The other two have absolute paths; `public` routes may also be called from any web page.
 */
export type Access = { scope: Scope } | { authenticated: true } | { public: true };

/** Whoever holds a valid key. A personal key acts as its user, a project secret key as its project. */
export type Caller = { keyId: string; scopes: readonly string[] } & (
  { userId: number; projectId: null } | { userId: null; projectId: number }
);

/** The tenant that a request is about. */
export type Project = { id: number; organizationId: string; name: string };

export type Gatekeeper = {
  /** @throws NotAuthenticated when the request carries no valid key */
  authenticate(request: Pick<IncomingMessage, 'headers' | 'headersDistinct'>): Promise<Caller>;
  /**
   * The project that `@current` stands for: that of the public key, else the only one that the caller's key opens.
   * @throws NotFound when that is none, or one of several
   */
  current(caller: Caller, token: string | undefined): Promise<number>;
  /**
   * @throws NotFound when there is no such project
   * @throws PermissionDenied when the caller may not enter it, or the key lacks the scope (named in the message)
   */
  enter(caller: Caller, projectId: number, scope: Scope): Promise<Project>;
};
