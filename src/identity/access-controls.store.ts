/** Rules of who may do what with which objects. */
import type { Knex } from '../db/connection.ts';
import type { OrganizationRole } from '../http/access.ts';
import type { Rule } from './rights.ts';

type RuleRow = { resource: string; resource_id: string | null; specific: boolean; access_level: Rule['level'] };

export function accessControlStore(db: Knex) {
  return {
    /** What a user is in a project's organization, and the rules of the project that apply to them; undefined: not a member. */
    async standingOf(
      projectId: number,
      userId: number,
    ): Promise<{ membership: { id: string; role: OrganizationRole }; rules: Rule[] } | undefined> {
      const { rows } = await db.raw<{ rows: { id: string; role: OrganizationRole; rules: RuleRow[] | null }[] }>(
        `select member.id, member.role, (
           select json_agg(json_build_object('resource', rule.resource, 'resource_id', rule.resource_id,
               'specific', num_nonnulls(rule.membership_id, rule.role_id) > 0, 'access_level', rule.access_level))
             from access_controls as rule
             where rule.project_id = project.id
               and (rule.membership_id = member.id
                 or rule.role_id in (select role_id from role_memberships where membership_id = member.id)
                 or num_nonnulls(rule.membership_id, rule.role_id) = 0)) as rules
         from projects as project join organization_memberships as member using (organization_id)
         where project.id = ? and member.user_id = ?`,
        [projectId, userId],
      );
      const [row] = rows;
      if (!row) return undefined;
      const rules = (row.rules ?? []).map(({ resource, resource_id, specific, access_level }) => ({
        resource,
        resourceId: resource_id,
        specific,
        level: access_level,
      }));
      return { membership: { id: row.id, role: row.role }, rules };
    },
  };
}

export type AccessControlStore = ReturnType<typeof accessControlStore>;
