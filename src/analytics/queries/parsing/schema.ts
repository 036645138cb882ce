/**
 * Queries of insights on the wire: the fields of upstream's nodes (PostHog, frontend/src/queries/schema) that affect results here.
 * Fields that only say how a chart looks are stored and ignored. Fields that would change numbers but are not supported are refused: see
 * `unsupported.ts`.
 */
import { nullable, stringEnum, Type, type Static, type TSchema } from '../../../platform/schema.ts';

const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

const COUNTS = ['total', 'dau'] as const;
const PERCENTILES = ['median', 'p75', 'p90', 'p95', 'p99'] as const;
/** Aggregates of a numeric property. */
export const PROPERTY_MATHS = ['sum', 'avg', 'min', 'max', ...PERCENTILES] as const;
export type MathName = (typeof COUNTS)[number] | (typeof PROPERTY_MATHS)[number];

const LINE_DISPLAYS = [
  'Auto',
  'ActionsLineGraph',
  'ActionsAreaGraph',
  'ActionsBar',
  'ActionsStackedBar',
  'ActionsUnstackedBar',
] as const;
export const CUMULATIVE_DISPLAY = 'ActionsLineGraphCumulative';
/** Displays with one value for the whole range. */
export const TOTAL_DISPLAYS = ['BoldNumber', 'ActionsPie', 'ActionsBarValue', 'ActionsTable', 'WorldMap'] as const;

const WINDOW_UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month'] as const;
const PERIODS = ['Hour', 'Day', 'Week', 'Month'] as const;

const MAX_SERIES = 20;
const MAX_TEXT = 400;
const MAX_BREAKDOWN_VALUES = 100;
const MAX_ROWS = 1000;
const MAX_OFFSET = 10_000;
const MAX_RETENTION_INTERVALS = 100;
const MAX_FORMULAS = 20;
const MAX_SMOOTHING = 100;

const optional = <S extends TSchema>(schema: S) => Type.Optional(nullable(schema));
const Text = Type.String({ maxLength: MAX_TEXT });
const Name = Type.String({ minLength: 1, maxLength: MAX_TEXT });

const Properties = Type.Optional(
  Type.Unknown({
    description:
      'A list of filters `{key, value, operator, type}` of type `event`, `person` or `hogql`, all of which must ' +
      'match, or nested groups `{type: "AND" | "OR", values: [...]}`.',
  }),
);

const DateRange = Type.Object(
  {
    date_from: optional(
      Type.String({
        maxLength: 100,
        description:
          'The start of the range: `-7d`, `-24h`, `dStart`, `-1mStart`, a date, a datetime, or `all`. Seven days ago ' +
          'by default.',
      }),
    ),
    date_to: optional(
      Type.String({
        maxLength: 100,
        description:
          'The end of the range, in the same formats as `date_from`; includes the whole day. Today by default.',
      }),
    ),
    explicitDate: optional(
      Type.Boolean({
        description: 'If true, the range is exact: its ends are not extended to whole days or intervals.',
      }),
    ),
  },
  { title: 'DateRange' },
);

const EventsNode = Type.Object(
  {
    kind: Type.Literal('EventsNode'),
    event: optional(Type.String({ maxLength: MAX_TEXT, description: 'The name of the event; null for all events.' })),
    name: optional(Text),
    custom_name: optional(Text),
    math: optional(
      stringEnum([...COUNTS, ...PROPERTY_MATHS] as const, {
        description: 'The aggregation; `dau` counts distinct persons. `total` by default.',
      }),
    ),
    math_property: optional(Name),
    math_property_type: optional(
      Type.String({
        maxLength: 100,
        description:
          'The source of the property: `event_properties`, or `person_properties` with their values at the time of ' +
          'the event.',
      }),
    ),
    properties: Properties,
    fixedProperties: Properties,
  },
  { title: 'EventsNode' },
);
export type EventsNode = Static<typeof EventsNode>;

const BreakdownFilter = Type.Object({
  breakdown: optional(Name),
  breakdown_type: optional(stringEnum(['event', 'person'] as const)),
  breakdowns: optional(
    Type.Array(Type.Object({ property: Name, type: optional(stringEnum(['event', 'person'] as const)) }), {
      maxItems: 1,
    }),
  ),
  breakdown_limit: optional(Type.Integer({ minimum: 1, maximum: MAX_BREAKDOWN_VALUES })),
  breakdown_hide_other_aggregation: optional(Type.Boolean()),
});
export type BreakdownFilter = Static<typeof BreakdownFilter>;

export const TrendsQuery = Type.Object(
  {
    kind: Type.Literal('TrendsQuery'),
    series: Type.Array(EventsNode, { minItems: 1, maxItems: MAX_SERIES }),
    interval: optional(stringEnum(INTERVALS)),
    dateRange: optional(DateRange),
    properties: Properties,
    breakdownFilter: optional(BreakdownFilter),
    trendsFilter: optional(
      Type.Object({
        display: optional(stringEnum([...LINE_DISPLAYS, CUMULATIVE_DISPLAY, ...TOTAL_DISPLAYS] as const)),
        formula: optional(Text),
        formulas: optional(
          Type.Array(Text, {
            maxItems: MAX_FORMULAS,
            description: 'A list of formulas; takes precedence over `formula`.',
          }),
        ),
        formulaNodes: optional(
          Type.Array(Type.Object({ formula: Name, custom_name: optional(Text) }), {
            maxItems: MAX_FORMULAS,
            description: 'A list of formulas with names; takes precedence over `formula` and `formulas`.',
          }),
        ),
        smoothingIntervals: optional(Type.Integer({ minimum: 1, maximum: MAX_SMOOTHING })),
      }),
    ),
    compareFilter: optional(
      Type.Object({
        compare: optional(Type.Boolean()),
        compare_to: optional(
          Type.String({
            maxLength: 100,
            description:
              'The offset of the range to compare with, such as `-1y` or `-4w`; requires `compare: true`. The preceding ' +
              'range by default.',
          }),
        ),
      }),
    ),
  },
  { title: 'TrendsQuery' },
);

export const FunnelsQuery = Type.Object(
  {
    kind: Type.Literal('FunnelsQuery'),
    series: Type.Array(EventsNode, { minItems: 2, maxItems: MAX_SERIES }),
    dateRange: optional(DateRange),
    properties: Properties,
    funnelsFilter: optional(
      Type.Object({
        funnelWindowInterval: optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
        funnelWindowIntervalUnit: optional(stringEnum(WINDOW_UNITS)),
      }),
    ),
  },
  { title: 'FunnelsQuery' },
);

const RetentionEntity = Type.Object({
  id: optional(Type.String({ maxLength: MAX_TEXT, description: 'The name of the event; null for all events.' })),
  type: optional(Type.Literal('events')),
  properties: Properties,
});
export type RetentionEntity = Static<typeof RetentionEntity>;

export const RetentionQuery = Type.Object(
  {
    kind: Type.Literal('RetentionQuery'),
    dateRange: optional(DateRange),
    properties: Properties,
    retentionFilter: Type.Object({
      retentionType: optional(stringEnum(['retention_recurring', 'retention_first_time'] as const)),
      totalIntervals: optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_RETENTION_INTERVALS,
          description: 'The number of periods, ending with the one that contains `date_to`; 8 by default.',
        }),
      ),
      period: optional(stringEnum(PERIODS, { description: 'The length of a period; `Day` by default.' })),
      targetEntity: optional(RetentionEntity),
      returningEntity: optional(RetentionEntity),
    }),
  },
  { title: 'RetentionQuery' },
);

export const EventsQuery = Type.Object(
  {
    kind: Type.Literal('EventsQuery'),
    select: Type.Array(Text, { minItems: 1, maxItems: 50 }),
    where: optional(Type.Array(Type.String({ maxLength: 10_000 }), { maxItems: 20 })),
    properties: Properties,
    fixedProperties: Properties,
    event: optional(Text),
    personId: optional(Type.String({ format: 'uuid' })),
    orderBy: optional(Type.Array(Text, { maxItems: 5 })),
    limit: optional(Type.Integer({ minimum: 1, maximum: MAX_ROWS })),
    offset: optional(Type.Integer({ minimum: 0, maximum: MAX_OFFSET })),
    after: optional(
      Type.String({
        maxLength: 100,
        description: 'The start of the range, in the same formats as `date_from`; `-24h` by default.',
      }),
    ),
    before: optional(Type.String({ maxLength: 100 })),
    dateRange: optional(DateRange),
  },
  { title: 'EventsQuery' },
);

export type TrendsQuery = Static<typeof TrendsQuery>;
export type FunnelsQuery = Static<typeof FunnelsQuery>;
export type RetentionQuery = Static<typeof RetentionQuery>;
export type EventsQuery = Static<typeof EventsQuery>;
export type DateRange = Static<typeof DateRange>;
