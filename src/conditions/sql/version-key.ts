/** Builds sortable text for a version, the same as the SQL function `property_version` builds for a property. */
import type { Version } from '../operators/semver.ts';

/** Length of the three numbers in a key. */
export const NUMBERS_LENGTH = 60;

export function versionKey({ numbers, preRelease, build }: Version): string {
  return `${numbersKey(numbers)}${preRelease.length === 0 ? '~' : '-'}${identifiersKey(preRelease)}+${identifiersKey(build)}`;
}

export function numbersKey(numbers: Version['numbers']): string {
  return numbers.map((number) => String(number).padStart(20, '0')).join('');
}

function identifiersKey(identifiers: Version['preRelease']): string {
  const keys = identifiers.map((id) => {
    return typeof id === 'string' ? `1${id},` : `0${String(String(id).length).padStart(9, '0')}${id},`;
  });
  return keys.join('');
}
