/** Pauses on the wire. */
import { readDatetime } from '../../platform/http/parameters/datetime.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { PAUSERS, type PauseNotes } from './pauses.store.ts';

/** Fields of a request that pauses exports. */
export const pauseIn = {
  reason: Type.Optional(
    nullable(Type.String({ maxLength: 400 }), {
      description: 'The reason for the pause, for people who look at the export.',
    }),
  ),
  resume_at: Type.Optional(
    nullable(Type.String(), {
      description:
        'When the export is unpaused automatically, within a minute: an ISO 8601 datetime in the future, at most a ' +
        'year ahead. Null or omitted: not automatically.',
    }),
  ),
};

const Instant = Type.String({ format: 'date-time' });

export const PauseBody = Type.Object(
  {
    by: nullable(
      Type.Object({
        kind: stringEnum(PAUSERS, {
          description:
            '`user`: a person, or their key. `project_key`: a secret key of the project. `sluice`: Sluice itself, after ' +
            'too many failures. `temporal`: the schedule was paused in Temporal.',
        }),
        user: nullable(
          Type.Object({
            id: Type.Integer(),
            uuid: Type.String({ format: 'uuid' }),
            first_name: Type.String(),
            last_name: Type.String(),
            email: Type.String(),
          }),
          { description: 'The person; null if there is none, or if the account was deleted.' },
        ),
      }),
      { description: 'The author of the pause; null if the export was paused before authors were recorded.' },
    ),
    at: nullable(Instant, { description: 'When the pause began.' }),
    reason: nullable(Type.String(), { description: 'Why the export is paused, if a reason is known.' }),
    resume_at: nullable(Instant, { description: 'When the export is unpaused automatically; null if it is not.' }),
  },
  { title: 'Pause' },
);
export type PauseBody = Static<typeof PauseBody>;

export const NewPauseBody = Type.Object(pauseIn, { title: 'NewPause' });

export const UnpauseBody = Type.Object(
  {
    backfill: Type.Boolean({
      default: false,
      description: 'Whether to deliver the data intervals that were missed during the pause.',
    }),
  },
  { title: 'Unpause' },
);

/** @throws InvalidInput for a `resume_at` that is not a datetime */
export function pauseNotesOf({ reason, resume_at }: Static<typeof NewPauseBody>): PauseNotes {
  return {
    ...(reason !== undefined && { reason: reason?.trim() || null }),
    ...(resume_at !== undefined && { resumeAt: resume_at === null ? null : readDatetime(resume_at, 'resume_at') }),
  };
}

/** @returns null for an export that is not paused */
export function presentPause({ paused, pause, pausedReason, lastPausedAt }: BatchExport): PauseBody | null {
  if (!paused) return null;
  return {
    by: pause?.by ? { kind: pause.by, user: pause.user } : null,
    at: pause?.at ?? lastPausedAt,
    reason: pause?.reason ?? pausedReason,
    resume_at: pause?.resumeAt ?? null,
  };
}
