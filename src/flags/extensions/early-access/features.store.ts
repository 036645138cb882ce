/** Rows of early access features. */
import type { Knex } from '../../../platform/db/connection.ts';
import { NotFound } from '../../../platform/errors.ts';
import type { Stage } from './enrollment.ts';

export type EarlyAccessFeature = {
  id: string;
  projectId: number;
  /** Id of the flag that enrolling turns on. */
  flagId: number;
  name: string;
  description: string;
  stage: Stage;
  documentationUrl: string;
  /** Arbitrary data for web pages. */
  payload: Record<string, unknown>;
  createdBy: number | null;
  createdAt: string;
};

/** A feature with the key of its flag. */
export type PublishedFeature = EarlyAccessFeature & { flagKey: string };

type Row = {
  id: string;
  project_id: number;
  flag_id: number;
  name: string;
  description: string;
  stage: Stage;
  documentation_url: string;
  payload: Record<string, unknown>;
  created_by: number | null;
  created_at: string;
};

function featureFrom(row: Row): EarlyAccessFeature {
  return {
    id: row.id,
    projectId: row.project_id,
    flagId: row.flag_id,
    name: row.name,
    description: row.description,
    stage: row.stage,
    documentationUrl: row.documentation_url,
    payload: row.payload,
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}

export function earlyAccessStore(db: Knex) {
  const featuresOfProject = (projectId: number) => db<Row>('early_access_features').where({ project_id: projectId });

  return {
    /** @throws NotFound when the project has no such feature */
    async get(projectId: number, id: string): Promise<EarlyAccessFeature> {
      const row = await featuresOfProject(projectId).where({ id }).first();
      if (!row) throw new NotFound();
      return featureFrom(row);
    },

    /** Lists the newest first. */
    async list(
      projectId: number,
      page: { limit: number; offset: number },
    ): Promise<{ count: number; results: EarlyAccessFeature[] }> {
      const countRow = (await featuresOfProject(projectId).count({ count: '*' }).first()) as unknown as {
        count: string;
      };
      const newestFirst = ['created_at', 'id'].map((column) => ({ column, order: 'desc' }));
      const rows = await featuresOfProject(projectId).orderBy(newestFirst).limit(page.limit).offset(page.offset);
      return { count: Number(countRow.count), results: rows.map(featureFrom) };
    },

    async insert(feature: Omit<EarlyAccessFeature, 'createdAt'>): Promise<EarlyAccessFeature> {
      const [row] = await db<Row>('early_access_features')
        .insert({
          id: feature.id,
          project_id: feature.projectId,
          flag_id: feature.flagId,
          name: feature.name,
          description: feature.description,
          stage: feature.stage,
          documentation_url: feature.documentationUrl,
          payload: feature.payload,
          created_by: feature.createdBy,
        })
        .returning('*');
      return featureFrom(row!);
    },

    async update({ projectId, id, ...changed }: EarlyAccessFeature): Promise<void> {
      await featuresOfProject(projectId).where({ id }).update({
        name: changed.name,
        description: changed.description,
        stage: changed.stage,
        documentation_url: changed.documentationUrl,
        payload: changed.payload,
      });
    },

    async delete(projectId: number, id: string): Promise<void> {
      await featuresOfProject(projectId).where({ id }).delete();
    },

    /** Lists the features for pages, oldest first. */
    async listPublished(projectId: number): Promise<PublishedFeature[]> {
      const { rows } = await db.raw<{ rows: (Row & { flag_key: string })[] }>(
        `select features.*, feature_flags.key as flag_key
         from early_access_features as features join feature_flags on feature_flags.id = flag_id
         where features.project_id = ? order by features.created_at, features.id`,
        [projectId],
      );
      return rows.map((row) => ({ ...featureFrom(row), flagKey: row.flag_key }));
    },

    /** @returns the name of the feature that this flag is linked to */
    async findNameByFlag(projectId: number, flagId: number): Promise<string | undefined> {
      const row = await featuresOfProject(projectId).where({ flag_id: flagId }).first('name');
      return row?.name;
    },
  };
}

export type EarlyAccessStore = ReturnType<typeof earlyAccessStore>;
