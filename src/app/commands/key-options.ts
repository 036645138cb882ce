/** Parses the options of `sluice keys`. */
import { InvalidArgumentError } from 'commander';
import { parseDatetime } from '../../platform/http/parameters/datetime.ts';
import { isScope } from '../../people/access/scopes.ts';

export const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Parses an argument of `--scope`, and adds it to those of the previous arguments. */
export function addScopes(text: string, previous: readonly string[] = []): string[] {
  const added = text.split(',');
  const unknown = added.find((scope) => !isScope(scope));
  if (unknown !== undefined) throw new InvalidArgumentError(`There is no scope '${unknown}'.`);
  return [...new Set([...previous, ...added])];
}

export function projectId(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give the number of a project.');
}

export function addProjects(text: string, previous: readonly number[] = []): number[] {
  return [...previous, ...text.split(',').map(projectId)];
}

export function addOrganizations(text: string, previous: readonly string[] = []): string[] {
  const added = text.split(',');
  if (added.every((id) => UUID.test(id))) return [...previous, ...added];
  throw new InvalidArgumentError('Give the ids of organizations.');
}

/** Parses an instant in the future. @returns ISO text with microseconds, as in the stores */
export function futureInstant(text: string): string {
  const moment = parseDatetime(text)?.instant;
  if (moment !== undefined && Date.parse(moment) > Date.now()) return moment;
  throw new InvalidArgumentError('Give a moment that is still to come, such as 2030-01-31T12:00:00Z.');
}

export function seconds(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a number of seconds.');
}
