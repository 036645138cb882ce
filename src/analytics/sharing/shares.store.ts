/** Objects that links open to strangers: the only access to a project that needs no key. */
import type { Knex } from '../../platform/db/connection.ts';
import type { Project } from '../../platform/http/access.ts';
import { configurationFrom, type ConfigurationRow, type SharingConfiguration } from './configurations.store.ts';

/** An object that is shared right now, under the token that was given. */
export type Share = { configuration: SharingConfiguration; project: Project; token: string };

export function shareStore(db: Knex) {
  return {
    /**
     * Finds the object of a token, in one query. Returns undefined for every reason alike: an unknown token, a token that was replaced too long
     * ago, a link that is disabled or expired, a deleted object, or an organization that no longer allows sharing.
     */
    async find(token: string): Promise<Share | undefined> {
      // tooth: share-until
      const { rows } = await db.raw<{ rows: (ConfigurationRow & { organization_id: string; project_name: string })[] }>(
        `select current.*, project.organization_id, project.name as project_name
         from sharing_configurations as link
         join sharing_configurations as current on current.expires_at is null
           and (current.dashboard_id = link.dashboard_id or current.insight_id = link.insight_id)
         join projects as project on project.id = current.project_id
         join organizations as organization on organization.id = project.organization_id
         left join dashboards as dashboard on dashboard.id = current.dashboard_id
         left join insights as insight on insight.id = current.insight_id
         where link.access_token = ? and (link.expires_at is null or link.expires_at > clock_timestamp())
           and current.enabled and (current.shared_until is null or current.shared_until > clock_timestamp())
           and organization.allow_publicly_shared_resources
           and not coalesce(dashboard.deleted, insight.deleted)`,
        [token],
      );
      const [row] = rows;
      if (!row) return undefined;
      const project = { id: row.project_id, organizationId: row.organization_id, name: row.project_name };
      return { configuration: configurationFrom(row), project, token };
    },
  };
}

export type ShareStore = ReturnType<typeof shareStore>;
