/** Flags and cohorts as upstream's lists show them, checked as far as an import has to know them before it asks. */
import { CommandFailed, InvalidInput, TooLarge } from '../../platform/errors.ts';
import { checkTexts } from '../../platform/http/body.ts';
import type { Kind, Refusal } from './outcome.ts';

export type Fields = Readonly<Record<string, unknown>>;

export type Exported = {
  /** undefined: the item has no id, so no other item can name it. */
  id: number | undefined;
  /** The key of a flag, the name of a cohort. */
  name: string;
  deleted: boolean;
  active: boolean;
  /** All fields of the export's item. */
  fields: Fields;
  /** Texts that cannot be stored, or too many levels; the item is then not read further. */
  fault: Refusal | undefined;
};

const NAME = { flag: 'key', cohort: 'name' } as const;
const MAX_ID = 2 ** 31 - 1;

/**
 * @param place of the item, for errors: `flags.json: results[3]`
 * @throws CommandFailed naming the place and the field when it is none of this kind
 */
export function exportedItem(item: unknown, kind: Kind, place: string): Exported {
  if (!isFields(item)) throw new CommandFailed(`${place} is no ${kind}: an object is expected.`);
  const nameField = NAME[kind];
  const { id, [nameField]: name, deleted = false, active = true } = item;
  if (typeof name !== 'string' || name === '') {
    throw new CommandFailed(`${place}.${nameField} is not a text, or missing: this is no list of ${kind}s.`);
  }
  // A flag may have a name as well.
  if (kind === 'cohort' && typeof item['key'] === 'string') {
    throw new CommandFailed(`${place}.key belongs to a flag: this is no list of cohorts.`);
  }
  if (id !== undefined && !(Number.isInteger(id) && (id as number) > 0 && (id as number) <= MAX_ID)) {
    throw new CommandFailed(`${place}.id is not an id: a whole number from 1 to ${MAX_ID} is expected.`);
  }
  for (const [field, value] of Object.entries({ deleted, active })) {
    if (typeof value !== 'boolean') throw new CommandFailed(`${place}.${field} is not true or false.`);
  }
  const fault = faultOf(item);
  return {
    id: id as number | undefined,
    name,
    deleted: deleted as boolean,
    active: active as boolean,
    fields: item,
    fault,
  };
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fault of an item that no server takes, or that is too large to walk through. */
function faultOf(item: Fields): Refusal | undefined {
  try {
    checkTexts(item);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidInput) return { attr: error.attr, code: error.code, reason: error.message };
    if (error instanceof TooLarge) return { attr: null, code: 'payload_too_large', reason: error.message };
    throw error;
  }
}
