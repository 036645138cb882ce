/** Collaborators: users other than the creator and admins who may change a restricted dashboard. */
import { InvalidInput, NotFound } from '../../../platform/errors.ts';
import type { Caller, Project } from '../../../platform/http/access.ts';
import type { Change } from '../../../people/audit/entry.ts';
import { rightsOfMember } from '../../../people/access/rights.ts';
import type { User } from '../../../people/accounts/users.store.ts';
import type { Dashboard } from '../dashboards.store.ts';
import { recordDashboardChange, SCOPE } from '../log.ts';
import { maySetRestriction, MAY_EDIT, type Privilege } from '../restriction.ts';
import { EVERYONE_EDITS } from '../restriction-level.ts';
import type { BoundDashboardStores, DashboardStores } from '../stores.ts';
import type { Collaborator } from './collaborators.store.ts';

type Actor = { project: Project; caller: Caller };

export function dashboardCollaborators(allStores: DashboardStores) {
  return {
    list: allStores.collaborators.list,

    /** @throws InvalidInput saying why the user cannot be a collaborator */
    async add(
      actor: Actor,
      dashboardId: number,
      { userUuid, level }: { userUuid: string; level: Privilege },
    ): Promise<Collaborator> {
      return allStores.inTransaction(actor.project.id, async (stores) => {
        const dashboard = await stores.dashboards.get(actor.project.id, dashboardId);
        ensureRestricted(dashboard, 'Cannot add collaborators to a dashboard on the lowest restriction level.');
        if (level !== MAY_EDIT) {
          throw new InvalidInput('Only edit access can be explicitly specified currently.');
        }
        const user = await stores.collaborators.findUser(userUuid);
        if (!user) throw new InvalidInput('User does not exist.');
        await ensureNotEditorAlready(stores, dashboard, user);
        const added = await stores.collaborators.add(dashboardId, user, level);
        if (!added) throw new InvalidInput('User already is a collaborator.');
        await record(stores, actor, dashboard, { action: 'created', before: null, after: loggedFieldsOf(user, level) });
        return added;
      });
    },

    /**
     * @throws NotFound when the user is not a collaborator
     * @throws InvalidInput when everybody may edit the dashboard
     */
    async remove(actor: Actor, dashboardId: number, userUuid: string): Promise<void> {
      await allStores.inTransaction(actor.project.id, async (stores) => {
        const dashboard = await stores.dashboards.get(actor.project.id, dashboardId);
        ensureRestricted(dashboard, 'Cannot remove collaborators from a dashboard on the lowest restriction level.');
        const found = (await stores.collaborators.list(dashboardId)).find(({ user }) => user.uuid === userUuid);
        if (!found) throw new NotFound();
        await stores.collaborators.remove(dashboardId, found.user.id);
        const before = loggedFieldsOf(found.user, found.level);
        await record(stores, actor, dashboard, { action: 'deleted', before, after: null });
      });
    },
  };
}

export type DashboardCollaborators = ReturnType<typeof dashboardCollaborators>;

function ensureRestricted({ restriction_level }: Dashboard, detail: string): void {
  if (restriction_level === EVERYONE_EDITS) throw new InvalidInput(detail);
}

/** @throws InvalidInput for a user without access to the project, or who may already edit the dashboard */
async function ensureNotEditorAlready(
  stores: BoundDashboardStores,
  dashboard: Dashboard,
  { id: userId }: User,
): Promise<void> {
  const member = await stores.accessControls.findMember(dashboard.project_id, userId);
  const rights = member && rightsOfMember(member);
  if (!rights) throw new InvalidInput('Cannot add collaborators that have no access to the project.');
  if (!maySetRestriction(dashboard, { userId }, rights)) return;
  throw new InvalidInput(
    'Cannot add collaborators that already have inherent access (the dashboard owner or a project admins).',
  );
}

type AuditEntry = Pick<Change, 'action' | 'before' | 'after'>;

async function record(
  stores: BoundDashboardStores,
  actor: Actor,
  dashboard: Dashboard,
  change: AuditEntry,
): Promise<void> {
  await recordDashboardChange({ ...actor, stores }, 'updated', dashboard, [
    { type: SCOPE, field: 'collaborators', ...change },
  ]);
}

function loggedFieldsOf({ uuid, email }: User, level: Privilege) {
  return { user_uuid: uuid, email, level };
}
