/** Scopes of keys, by object: `event:read` is the scope `read` of the object `event`. A test compares them with the server's. */

export const EVERYTHING = '*';

/** Objects of scopes in words; false: the object can only be read. */
export const OBJECT_WORDS = {
  access_control: ['Access rules', true],
  activity_log: ['Activity log', false],
  batch_export: ['Exports', true],
  cohort: ['Cohorts', true],
  dashboard: ['Dashboards', true],
  early_access_feature: ['Early access features', true],
  event: ['Events', true],
  experiment: ['Experiments', true],
  feature_flag: ['Feature flags', true],
  group: ['Groups', true],
  ingestion_warning: ['Ingestion warnings', false],
  insight: ['Insights', true],
  integration: ['Integrations', true],
  organization: ['Organization', true],
  organization_member: ['Members', true],
  person: ['Persons', true],
  project: ['Project', true],
  query: ['Queries', false],
  sharing_configuration: ['Sharing', true],
  survey: ['Surveys', true],
  user: ['Your account', true],
} as const satisfies Record<string, readonly [string, boolean]>;

export type ScopeObject = keyof typeof OBJECT_WORDS;
export const SCOPE_OBJECTS = Object.keys(OBJECT_WORDS) as ScopeObject[];

/** Allows reading `object`, or takes away reading and writing. @returns the new scopes */
export function withReading(scopes: readonly string[], object: ScopeObject, isOn: boolean): string[] {
  const others = scopes.filter((scope) => !scope.startsWith(`${object}:`));
  return isOn ? [...others, `${object}:read`] : others;
}

/** Allows writing `object`, which includes reading, or leaves only reading. @returns the new scopes */
export function withWriting(scopes: readonly string[], object: ScopeObject, isOn: boolean): string[] {
  const others = scopes.filter((scope) => !scope.startsWith(`${object}:`));
  return [...others, `${object}:${isOn ? 'write' : 'read'}`];
}

/** @returns as `All scopes`, or `Exports (write), Events (read)` */
export function scopesInWords(scopes: readonly string[]): string {
  if (scopes.includes(EVERYTHING)) return 'All scopes';
  return scopes
    .map((scope) => {
      const [object = '', verb = ''] = scope.split(':');
      return `${OBJECT_WORDS[object as ScopeObject]?.[0] ?? object} (${verb})`;
    })
    .join(', ');
}
