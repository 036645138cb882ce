/** Presents a flag inside of objects that are linked to it. */
import { reaches, type Protected, type Rights } from '../../platform/http/access.ts';
import { Type, type Static } from '../../platform/schema.ts';
import type { FeatureFlag } from './feature-flags.store.ts';
import { fieldsOf } from './present.ts';

export const LinkedFlagBody = Type.Object(
  {
    id: Type.Integer(),
    team_id: Type.Integer({ description: 'The ID of the project.' }),
    key: Type.String({ description: 'The key of the flag; empty if the caller may not view the flag.' }),
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

/** Whether the viewer with the rights may see the flag; undefined: the flag belongs to an object that the viewer may see, so they may. */
export function maySeeFlag(rights: Pick<Rights, 'levelOf'> | undefined, flag: Protected): boolean {
  return !rights || reaches(rights.levelOf('feature_flag', flag), 'viewer');
}

/** @param rights of the viewer, who gets only the id and state of a flag that they may not see; omitted for a flag that the object owns */
export function presentLinkedFlag(flag: FeatureFlag, rights?: Rights): Static<typeof LinkedFlagBody> {
  const fields = fieldsOf(flag);
  const isVisible = maySeeFlag(rights, flag);
  return {
    id: flag.id,
    team_id: flag.projectId,
    key: isVisible ? flag.key : '',
    name: isVisible ? flag.name : '',
    filters: isVisible ? fields.filters : {},
    active: flag.active,
    deleted: flag.deleted,
    ensure_experience_continuity: flag.ensureExperienceContinuity,
    has_encrypted_payloads: flag.hasEncryptedPayloads,
    version: flag.version,
  };
}
