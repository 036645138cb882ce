/** Parses flags and cohorts from upstream's lists, as far as an import needs before any request. */
import { CommandFailed, InvalidInput, TooLarge } from '../../platform/errors.ts';
import { checkTextsAndDepth } from '../../platform/http/body.ts';
import type { Kind, Refusal } from './outcome.ts';

export type Fields = Readonly<Record<string, unknown>>;

export type ExportedItem = {
  /** Id in the export; undefined for an item without one, which no other item can reference. */
  id: number | undefined;
  /** The key of a flag, the name of a cohort. */
  name: string;
  deleted: boolean;
  active: boolean;
  /** All fields of the export's item. */
  fields: Fields;
  /** Fault of an item with text that cannot be stored, or with too many levels; such an item is not parsed further. */
  fault: Refusal | undefined;
};

const NAME = { flag: 'key', cohort: 'name' } as const;
const MAX_ID = 2 ** 31 - 1;

/**
 * @param position position of the item for errors, such as `flags.json: results[3]`
 * @throws CommandFailed naming the position and the field if the item is not of this kind
 */
export function parseItem(item: unknown, kind: Kind, position: string): ExportedItem {
  if (!isFields(item)) throw new CommandFailed(`${position} is not a ${kind}: an object is expected.`);
  const nameField = NAME[kind];
  const { id, [nameField]: name, deleted = false, active = true } = item;
  if (typeof name !== 'string' || name === '') {
    throw new CommandFailed(`${position}.${nameField} is missing or not a text: this is not a list of ${kind}s.`);
  }
  // Flags have a name, too, so only their key tells them from cohorts.
  if (kind === 'cohort' && typeof item['key'] === 'string') {
    throw new CommandFailed(`${position}.key belongs to a flag: this is not a list of cohorts.`);
  }
  if (id !== undefined && !(Number.isInteger(id) && (id as number) > 0 && (id as number) <= MAX_ID)) {
    throw new CommandFailed(`${position}.id is not an id: a whole number from 1 to ${MAX_ID} is expected.`);
  }
  for (const [field, value] of Object.entries({ deleted, active })) {
    if (typeof value !== 'boolean') throw new CommandFailed(`${position}.${field} is not true or false.`);
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

/** @returns the fault of an item that no server would accept, or that is too deep to process */
function faultOf(item: Fields): Refusal | undefined {
  try {
    checkTextsAndDepth(item);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidInput) return { attr: error.attr, code: error.code, reason: error.message };
    if (error instanceof TooLarge) return { attr: null, code: 'payload_too_large', reason: error.message };
    throw error;
  }
}
