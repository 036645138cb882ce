/** Parses a query from JSON to a form that can be computed. */
import { InvalidInput } from '../../../platform/errors.ts';
import { invalidInput } from '../../../platform/http/validation.ts';
import { createFilterBudget, isStorable, type FilterBudget } from '../../../conditions/sql/filters.ts';
import { compile, type Static, type TSchema, type Validator } from '../../../platform/schema.ts';
import { parseEvents } from './events-columns.ts';
import { filterTreeOf } from './filter-tree.ts';
import { parseTrends } from './parse-trends.ts';
import type { Entity, ParsedFunnels, ParsedQuery, ParsedRetention } from './parsed.ts';
import { refusal } from './refusal.ts';
import {
  EventsQuery,
  FunnelsQuery,
  RetentionQuery,
  TrendsQuery,
  type Interval,
  type RetentionEntity,
} from './schema.ts';
import { scopeOf } from './scope.ts';
import { seriesOf } from './series.ts';
import { refuseUnsupported } from './unsupported.ts';

type Fields = Readonly<Record<string, unknown>>;

const WRAPPERS: Readonly<Record<string, readonly string[]>> = {
  InsightVizNode: ['TrendsQuery', 'FunnelsQuery', 'RetentionQuery'],
  DataTableNode: ['EventsQuery'],
};

const READERS: Readonly<Record<string, (node: unknown) => ParsedQuery>> = {
  TrendsQuery: createReader(TrendsQuery, parseTrends),
  FunnelsQuery: createReader(FunnelsQuery, parseFunnels),
  RetentionQuery: createReader(RetentionQuery, parseRetention),
  EventsQuery: createReader(EventsQuery, parseEvents),
};

/**
 * @param value a query as JSON: one of `InsightQuery`
 * @throws InvalidInput, attr `query`, naming the unsupported field, and what to use instead
 */
export function parseQuery(value: unknown): ParsedQuery {
  const node = unwrapQuery(value);
  if (!isStorable(node)) throw new InvalidInput('The query contains characters that cannot be stored.', 'query');
  refuseUnsupported(node);
  return READERS[String(node['kind'])]!(node);
}

/**
 * @returns the query itself, out of the chart or table around it
 * @throws InvalidInput for an unknown kind
 */
export function unwrapQuery(value: unknown): Fields {
  const node = objectOf(value);
  const kind = node['kind'];
  const sources = typeof kind === 'string' && Object.hasOwn(WRAPPERS, kind) ? WRAPPERS[kind]! : undefined;
  if (!sources) return nodeOfKind(node, Object.keys(READERS), 'kind');
  return nodeOfKind(fieldsOf(node['source']), sources, 'source.kind');
}

function objectOf(value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new InvalidInput('Query must be a valid JSON object', 'query');
}

/** @returns no fields for a value that is not an object */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function nodeOfKind(node: Fields, kinds: readonly string[], path: string): Fields {
  const { kind } = node;
  if (typeof kind === 'string' && kinds.includes(kind)) return node;
  const given = typeof kind === 'string' ? `"${kind.slice(0, 100)}"` : 'This';
  throw refusal(path, `${given} is not a supported kind of query. Use one of: ${kinds.join(', ')}.`, 'not_supported');
}

function createReader<S extends TSchema>(
  schema: S,
  parse: (node: Static<S>, budget: FilterBudget) => ParsedQuery,
): (node: unknown) => ParsedQuery {
  const isValid = compile(schema);
  return (node) => {
    if (isValid(node)) return parse(node, createFilterBudget());
    throw nameQueryInErrors(isValid, schema);
  };
}

/** @returns the failure, which names the field of the query, with the allowed values if they are few */
function nameQueryInErrors<S extends TSchema>({ errors }: Validator<S>, schema: S): InvalidInput {
  const { attr, message, code } = invalidInput(errors ?? [], schema);
  const path = attr?.replace(/__non_field_errors$/, '').split('__') ?? [];
  const allowed = errors?.find(({ keyword, instancePath }) => {
    return (keyword === 'enum' || keyword === 'const') && instancePath === `/${path.join('/')}`;
  })?.params as { allowedValues?: string[]; allowedValue?: string } | undefined;
  const fieldPath = path.map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`)).join('');
  return refusal(fieldPath.slice(1), `${message}${fixOf(allowed)}`, code);
}

function fixOf({ allowedValues, allowedValue }: { allowedValues?: string[]; allowedValue?: string } = {}): string {
  if (allowedValues) return ` Use one of: ${allowedValues.join(', ')}.`;
  return allowedValue === undefined ? '' : ` Use "${allowedValue}".`;
}

const DEFAULT_WINDOW = 14;

function parseFunnels(node: FunnelsQuery, budget: FilterBudget): ParsedFunnels {
  const { funnelWindowInterval, funnelWindowIntervalUnit } = node.funnelsFilter ?? {};
  const steps = node.series.map((entry, index) => seriesOf(entry, index, budget));
  const unfit = steps.findIndex(({ math }) => math !== 'total' && math !== 'dau');
  if (unfit >= 0) throw refusal(`series[${unfit}].math`, 'A funnel counts persons: leave it out.', 'not_supported');
  return {
    kind: 'FunnelsQuery',
    steps,
    window: { count: funnelWindowInterval ?? DEFAULT_WINDOW, unit: funnelWindowIntervalUnit ?? 'day' },
    ...scopeOf(node, budget),
  };
}

const DEFAULT_RETENTION_INTERVALS = 8;

function parseRetention(node: RetentionQuery, budget: FilterBudget): ParsedRetention {
  const { retentionType, totalIntervals, period, targetEntity, returningEntity } = node.retentionFilter;
  return {
    kind: 'RetentionQuery',
    target: entityOf(targetEntity, 'targetEntity', budget),
    returning: entityOf(returningEntity, 'returningEntity', budget),
    isFirstTime: retentionType === 'retention_first_time',
    period: (period ?? 'Day').toLowerCase() as Interval,
    totalIntervals: totalIntervals ?? DEFAULT_RETENTION_INTERVALS,
    ...scopeOf(node, budget),
  };
}

/** Returns the given entity, or the page view, as upstream does. */
function entityOf(given: RetentionEntity | null | undefined, name: string, budget: FilterBudget): Entity {
  if (!given) return { event: '$pageview', filters: filterTreeOf(null, name, budget) };
  return {
    event: given.id ?? null,
    filters: filterTreeOf(given.properties, `retentionFilter.${name}.properties`, budget),
  };
}
