/** Finds the objects that use flags: experiments, early access features, surveys. */
import type { Knex } from '../../platform/db/connection.ts';
import { PHASE_CONDITIONS } from '../extensions/experiments/phases.ts';

export type Related = {
  experiments: { id: number; name: string; is_running: boolean }[];
  features: { id: string; name: string; stage: string }[];
  /** Linked surveys. */
  surveys: { id: string; name: string }[];
};

const RELATED = `
  select flag_id as "flagId",
    array(select jsonb_build_object('id', id, 'name', name, 'is_running', ${PHASE_CONDITIONS.running})
      from experiments where experiments.flag_id = wanted.flag_id and not deleted order by id) as experiments,
    array(select jsonb_build_object('id', id, 'name', name, 'stage', stage) from early_access_features as features
      where features.flag_id = wanted.flag_id) as features,
    array(select jsonb_build_object('id', id, 'name', name) from surveys where linked_flag_id = wanted.flag_id
      order by created_at) as surveys
  from unnest(cast(:ids as int[])) as wanted (flag_id)`;

export function relatedStore(db: Knex) {
  return {
    /** Finds the objects that use these flags, in one query, by flag id. */
    async findByFlags(ids: readonly number[]): Promise<Map<number, Related>> {
      const { rows } = await db.raw<{ rows: (Related & { flagId: number })[] }>(RELATED, { ids: [...ids] });
      return new Map(rows.map(({ flagId, ...related }) => [flagId, related]));
    },
  };
}
