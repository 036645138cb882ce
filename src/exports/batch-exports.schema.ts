/** Batch exports on the wire. */
import { nullable, stringEnum, Type, type Static } from '../schema.ts';
import { RunSummaryBody } from './runs.schema.ts';

const MODELS = ['events'] as const;

const Interval = Type.String({
  description: '`hour`, `day`, `week` or `every N minutes`, N from 1 to 1440.',
  examples: ['hour'],
});
const Name = Type.String({ minLength: 1, maxLength: 400, description: 'For people.' });
const Datetime = nullable(Type.String({ description: 'ISO 8601; without a zone it is UTC.' }));

/** `config` is checked by the destination's own schema. */
const DestinationIn = Type.Object({
  type: Type.String({ minLength: 1 }),
  config: Type.Optional(nullable(Type.Record(Type.String(), Type.Unknown()))),
});

/** Named by the contract; this version refuses values that it would have to ignore. */
const notYet = {
  hogql_query: Type.Optional(nullable(Type.String())),
  filters: Type.Optional(Type.Unknown()),
};

export const NewBatchExportBody = Type.Object(
  {
    name: Name,
    model: stringEnum(MODELS, { default: 'events' }),
    destination: DestinationIn,
    interval: Interval,
    paused: Type.Boolean({ default: false }),
    start_at: Type.Optional(Datetime),
    end_at: Type.Optional(Datetime),
    ...notYet,
  },
  { title: 'NewBatchExport' },
);

export const BatchExportPatchBody = Type.Object(
  {
    name: Type.Optional(Name),
    model: Type.Optional(Type.String()),
    destination: Type.Optional(DestinationIn),
    interval: Type.Optional(Interval),
    paused: Type.Optional(Type.Boolean()),
    last_paused_at: Type.Optional(Datetime),
    start_at: Type.Optional(Datetime),
    end_at: Type.Optional(Datetime),
    ...notYet,
  },
  { title: 'BatchExportPatch', description: 'What is left out stays; so do secrets and other members of `config`.' },
);

/** Upstream's way to make up for a pause; this version refuses it rather than ignore it. */
export const UnpauseBody = Type.Object({ backfill: Type.Optional(Type.Boolean()) }, { title: 'Unpause' });

const Instant = Type.String({ format: 'date-time' });

export const BatchExportBody = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    team_id: Type.Integer({ description: 'The project.' }),
    name: Type.String(),
    model: stringEnum(MODELS),
    destination: Type.Object({
      type: Type.String(),
      config: Type.Record(Type.String(), Type.Unknown(), { description: 'Without secrets.' }),
    }),
    interval: Interval,
    paused: Type.Boolean(),
    created_at: Instant,
    last_updated_at: Instant,
    last_paused_at: nullable(Instant),
    start_at: nullable(Instant, { description: 'No runs are triggered before this time.' }),
    end_at: nullable(Instant, { description: 'No runs are triggered after this time.' }),
    latest_runs: Type.Array(RunSummaryBody, { description: 'The newest ten.' }),
    hogql_query: Type.Null(),
    schema: Type.Null(),
    filters: Type.Null(),
  },
  { title: 'BatchExport' },
);

export type NewBatchExportBody = Static<typeof NewBatchExportBody>;
export type BatchExportPatchBody = Static<typeof BatchExportPatchBody>;
export type BatchExportBody = Static<typeof BatchExportBody>;
