/** Rows of access rules. Instants are ISO text with microseconds. */
import { randomUUID } from 'node:crypto';
import type { Knex } from '../../platform/db/connection.ts';
import type { OrganizationRole } from '../../platform/http/access.ts';
import type { Rule, MemberWithRules } from './rights.ts';

/** Objects that a rule is about. */
export type RuleTarget = {
  /** The kind of object as in scopes, or `project` for the project itself. */
  resource: string;
  /** Null for all objects of the kind. */
  resourceId: string | null;
};

/** Member or role that a rule applies to; if both are null, it applies to everybody. */
export type RuleSubject = { membershipId: string | null; roleId: string | null };

export type AccessControl = RuleTarget &
  RuleSubject & {
    level: Rule['level'];
    createdBy: number | null;
    createdAt: string;
    updatedAt: string;
  };

type Row = {
  project_id: number;
  resource: string;
  resource_id: string | null;
  membership_id: string | null;
  role_id: string | null;
  access_level: Rule['level'];
  created_by: number | null;
  created_at: string;
  updated_at: string;
};

function accessControlFrom(row: Row): AccessControl {
  return {
    resource: row.resource,
    resourceId: row.resource_id,
    membershipId: row.membership_id,
    roleId: row.role_id,
    level: row.access_level,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

type MemberRow = {
  id: string;
  role: OrganizationRole;
  user_id: number;
  uuid: string;
  rules:
    { resource: string; resource_id: string | null; subject: Rule['subject']; access_level: Rule['level'] }[] | null;
};

const SELECT_MEMBERS_WITH_RULES = `
  select member.id, member.role, member.user_id, users.uuid, (
    select json_agg(json_build_object('resource', rule.resource, 'resource_id', rule.resource_id,
        'subject', case when rule.membership_id is not null then 'member' when rule.role_id is not null then 'role'
          else 'everybody' end,
        'access_level', rule.access_level))
      from access_controls as rule
      where rule.project_id = project.id
        and (rule.membership_id = member.id
          or rule.role_id in (select role_id from role_memberships where membership_id = member.id)
          or num_nonnulls(rule.membership_id, rule.role_id) = 0)) as rules
  from projects as project join organization_memberships as member using (organization_id)
    join users on users.id = member.user_id
  where project.id = :projectId`;

function columnsOf(projectId: number, { resource, resourceId }: RuleTarget, { membershipId, roleId }: RuleSubject) {
  return {
    project_id: projectId,
    resource,
    resource_id: resourceId,
    membership_id: membershipId,
    role_id: roleId,
  };
}

export function accessControlStore(db: Knex) {
  const table = () => db<Row>('access_controls');

  return {
    /** Finds the membership of a user in a project's organization, with the project's rules that apply to them. */
    async findMember(projectId: number, userId: number): Promise<MemberWithRules | undefined> {
      const { rows } = await db.raw<{ rows: MemberRow[] }>(
        `${SELECT_MEMBERS_WITH_RULES} and member.user_id = :userId`,
        {
          projectId,
          userId,
        },
      );
      return rows[0] && memberFromRow(rows[0]);
    },

    /** Lists all active members of a project's organization, with the rules that apply to them, in no order. */
    async listMembers(projectId: number): Promise<(MemberWithRules & { userUuid: string })[]> {
      const { rows } = await db.raw<{ rows: MemberRow[] }>(`${SELECT_MEMBERS_WITH_RULES} and users.is_active`, {
        projectId,
      });
      return rows.map((row) => ({ ...memberFromRow(row), userUuid: row.uuid }));
    },

    /** Lists the rules of one object, oldest first. */
    async listOfObject(projectId: number, { resource, resourceId }: RuleTarget): Promise<AccessControl[]> {
      const rows = await table()
        .where({ project_id: projectId, resource, resource_id: resourceId })
        .orderBy(['created_at', 'id']);
      return rows.map(accessControlFrom);
    },

    /** Lists the rules of whole kinds, oldest first. */
    async listOfKinds(projectId: number): Promise<AccessControl[]> {
      const rows = await table()
        .where({ project_id: projectId })
        .whereNull('resource_id')
        .orderBy(['created_at', 'id']);
      return rows.map(accessControlFrom);
    },

    /** Lists the rules of whole kinds that apply to everybody. */
    async listForEverybody(projectId: number): Promise<Rule[]> {
      const rows = await table()
        .where({ project_id: projectId })
        .whereNull('resource_id')
        .whereNull('membership_id')
        .whereNull('role_id');
      return rows.map((row) => ({
        resource: row.resource,
        resourceId: null,
        subject: 'everybody',
        level: row.access_level,
      }));
    },

    /** Finds a rule, and locks it until the transaction ends. */
    async findAndLock(projectId: number, target: RuleTarget, subject: RuleSubject): Promise<AccessControl | undefined> {
      const row = await table()
        .where(columnsOf(projectId, target, subject))
        .forUpdate()
        .first();
      return row && accessControlFrom(row);
    },

    /** Creates a rule or changes its level; `created_by` stays its first author. */
    async put(
      projectId: number,
      target: RuleTarget,
      subject: RuleSubject,
      { level, userId }: { level: Rule['level']; userId: number | null },
    ): Promise<AccessControl> {
      const { rows } = await db.raw<{ rows: Row[] }>(
        `insert into access_controls (id, project_id, resource, resource_id, membership_id, role_id, access_level, created_by,
           created_at, updated_at)
         select :id, :project_id, :resource, :resource_id, :membership_id, :role_id, :level, :userId, at, at
         from (select clock_timestamp() as at offset 0) as clock
         on conflict on constraint access_controls_once
           do update set access_level = excluded.access_level, updated_at = excluded.updated_at
         returning *`,
        { id: randomUUID(), level, userId, ...columnsOf(projectId, target, subject) },
      );
      return accessControlFrom(rows[0]!);
    },

    async delete(projectId: number, target: RuleTarget, subject: RuleSubject): Promise<void> {
      await table()
        .where(columnsOf(projectId, target, subject))
        .delete();
    },

    /** Whether the membership belongs to the project's organization. */
    async hasMember(projectId: number, membershipId: string): Promise<boolean> {
      return hasInOrganization('organization_memberships', projectId, membershipId);
    },

    /** Whether the role belongs to the project's organization. */
    async hasRole(projectId: number, roleId: string): Promise<boolean> {
      return hasInOrganization('roles', projectId, roleId);
    },
  };

  async function hasInOrganization(name: 'organization_memberships' | 'roles', projectId: number, id: string) {
    const found = await db(name)
      .join('projects', 'projects.organization_id', `${name}.organization_id`)
      .where({ 'projects.id': projectId, [`${name}.id`]: id })
      .first(`${name}.id`);
    return found !== undefined;
  }
}

export type AccessControlStore = ReturnType<typeof accessControlStore>;

function memberFromRow({ id, role, user_id, rules }: MemberRow): MemberWithRules {
  return {
    userId: user_id,
    membership: { id, role },
    rules: (rules ?? []).map(({ resource, resource_id, subject, access_level }) => ({
      resource,
      resourceId: resource_id,
      subject,
      level: access_level,
    })),
  };
}
