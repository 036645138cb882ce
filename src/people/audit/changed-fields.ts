/** Lists the changed fields of an audit log entry; for an object, its changed properties. */
import { isDeepStrictEqual } from 'node:util';
import { REDACTED } from '../../platform/secrets/redact.ts';
import type { Change } from './entry.ts';

export type ChangedField = { field: string; before: unknown; after: unknown };

/** Levels of properties that are listed below a field; a deeper change is reported with its parent. */
const MAX_DEPTH = 3;

/**
 * @returns the changed fields, named as in `attr`: `destination__config__prefix`. Redacted properties of an object are listed if something else in
 *   it has changed, because they may have changed, too; if nothing else has, none is.
 */
export function listChangedFields({ field, before, after }: Change, depth = 1): ChangedField[] {
  if (isDeepStrictEqual(before, after) && !isRedacted(before)) return [];
  if (depth > MAX_DEPTH || !isObject(before) || !isObject(after)) return [{ field, before, after }];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) =>
    listChangedFields(
      {
        type: '',
        action: 'changed',
        field: `${field}__${name}`,
        before: before[name] ?? null,
        after: after[name] ?? null,
      },
      depth + 1,
    ),
  );
}

/** Whether a value is redacted; such values are equal even if the secret changed. */
function isRedacted(value: unknown): boolean {
  return value === REDACTED;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
