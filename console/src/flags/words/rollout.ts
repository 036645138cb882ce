/** The rollout of a flag in one line: `everybody where $initial_referrer contains google; 20 % of everybody else`. */
import {
  conditionsOf,
  formatPercent,
  percentOf,
  setInWords,
  type ConditionSet,
  type Filters,
  type Names,
} from './conditions.ts';

const MAX_SETS = 2;

export type DescribedFlag = { filters: Filters; is_remote_configuration: boolean };

export function rolloutInWords({ filters, is_remote_configuration: isPayload }: DescribedFlag, names?: Names): string {
  const sets = filters.groups ?? [];
  const rolledOutSets = sets.filter((set) => percentOf(set) > 0);
  if (rolledOutSets.length === 0) return 'nobody';
  const shown = rolledOutSets.slice(0, MAX_SETS).map((set, index) => setSentence(set, index > 0, names));
  const others = rolledOutSets.length - shown.length;
  const who = [...shown, ...(others > 0 ? [`${others} more ${others === 1 ? 'set' : 'sets'}`] : [])].join('; ');
  const variants = filters.multivariate?.variants ?? [];
  const what = isPayload
    ? ': a payload'
    : variants.length > 0
      ? `: ${variants.map(({ key }) => key).join(' or ')}`
      : '';
  return who + what;
}

function setSentence(set: ConditionSet, isLater: boolean, names?: Names): string {
  const percent = percentOf(set);
  const share = percent === 100 ? '' : `${formatPercent(percent)} of `;
  if (conditionsOf(set).length === 0) return `${share}everybody${isLater ? ' else' : ''}`;
  return `${share}everybody where ${setInWords(set, names)}`;
}

export const TYPES = [
  { value: 'boolean', label: 'On or off' },
  { value: 'multivariant', label: 'Variants' },
  { value: 'experiment', label: 'Experiment' },
  { value: 'remote_config', label: 'Payload only' },
] as const;

export const STATES = [
  { value: 'on', label: 'On' },
  { value: 'off', label: 'Off' },
  { value: 'stale', label: 'Stale' },
] as const;
