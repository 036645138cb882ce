/** A flag as the objects that are linked to it show it. */
import { Type, type Static } from '../../schema.ts';
import type { FeatureFlag } from './feature-flags.store.ts';
import { fieldsOf } from './present.ts';

export const LinkedFlagBody = Type.Object(
  {
    id: Type.Integer(),
    team_id: Type.Integer({ description: 'The project.' }),
    key: Type.String(),
    name: Type.String(),
    filters: Type.Record(Type.String(), Type.Unknown()),
    active: Type.Boolean(),
    deleted: Type.Boolean(),
    ensure_experience_continuity: Type.Boolean(),
    has_encrypted_payloads: Type.Boolean(),
    version: Type.Integer(),
  },
  { title: 'LinkedFlag' },
);

export function presentLinkedFlag(flag: FeatureFlag): Static<typeof LinkedFlagBody> {
  const fields = fieldsOf(flag);
  return {
    id: flag.id,
    team_id: flag.projectId,
    key: flag.key,
    name: flag.name,
    filters: fields.filters,
    active: flag.active,
    deleted: flag.deleted,
    ensure_experience_continuity: flag.ensureExperienceContinuity,
    has_encrypted_payloads: flag.hasEncryptedPayloads,
    version: flag.version,
  };
}
