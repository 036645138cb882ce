/** Two states of an export in words, field by field. */
import { CONFIG, type DestinationType } from './destination-types.ts';
import { kindOf, operatorWords, textOf } from './content/operators.ts';
import { changedFields, NAMES, type Fields, type Filter, type Transformation } from './draft.ts';
import { hourName, WEEKDAYS } from './schedule-fields.tsx';

export type Difference = { attr: string; what: string; from: string; to: string };

const NOTHING = 'none';

export function differencesBetween(before: Fields, after: Fields, type: DestinationType | undefined): Difference[] {
  return changedFields(before, after).map((attr) => ({
    attr,
    what: titleOf(attr, type),
    from: isSecret(attr, type) ? 'as it is' : valueWords(attr, before[attr]),
    to: isSecret(attr, type) ? 'a new one' : valueWords(attr, after[attr]),
  }));
}

function isSecret(attr: string, type: DestinationType | undefined): boolean {
  if (attr === 'hash_key') return true;
  return type?.fields.some(({ name, secret }) => secret && attr === CONFIG + name) ?? false;
}

function titleOf(attr: string, type: DestinationType | undefined): string {
  if (attr === 'destination__integration') return 'Credentials';
  const name = attr.slice(CONFIG.length);
  if (attr.startsWith(CONFIG)) return type?.fields.find((one) => one.name === name)?.title ?? name;
  return NAMES[attr as keyof typeof NAMES] ?? attr;
}

type Row = Partial<Filter & Transformation>;
type Notifications = { emails?: readonly string[]; webhook?: { url: string } | null; on?: readonly string[] };

function valueWords(attr: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return NOTHING;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (attr === 'offset_hour') return hourName(Number(value));
  if (attr === 'offset_day') return WEEKDAYS[Number(value)] ?? NOTHING;
  if (attr === 'destination__integration') return `integration ${JSON.stringify(value)}`;
  if (attr === 'notifications') {
    const { emails = [], webhook, on } = value as Notifications;
    const kinds = on ? `: ${on.join(', ').replaceAll('_', ' ')}` : '';
    return [...emails, ...(webhook ? [webhook.url] : [])].join(', ') + kinds;
  }
  if (Array.isArray(value)) return value.length === 0 ? NOTHING : value.map(itemWords).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A name, a filter or a transformation. */
function itemWords(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item);
  const { key, type, operator, value, path, action } = item as Row;
  if (path !== undefined) return `${action === 'hash' ? 'hash of' : 'without'} ${path}`;
  if (type === 'hogql' || !operator) return key ?? NOTHING;
  const between = kindOf(operator) === 'bounds' ? ' and ' : ' or ';
  return [key, operatorWords(operator), textOf(value).replaceAll('\n', between)].filter(Boolean).join(' ');
}
