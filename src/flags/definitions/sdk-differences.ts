/**
 * Which released SDKs decide a flag otherwise than the server, when they evaluate it by themselves. They do not say so: what they do not
 * know they pass over. Told with each flag, because an upgrade, or asking the server for this flag, is for whoever runs them.
 *
 * The facts are those of the SDKs' sources, and for what `test/sdks/table.json` holds of running them.
 */
import { isOfSurvey } from '../evaluation/definitions.ts';
import type { JudgedFlag } from './local-evaluation.ts';
import { conditionsOf, flagOf, propertiesOf, referencesIn } from './references.ts';
import { traitsOf, type Trait } from './sdk-traits.ts';
import type { StoredDefinitions } from './stored-definitions.ts';

/** The newest release of each whose facts are known. */
export const NEWEST = {
  'posthog-node': '5.70.0',
  'posthog-python': '7.91.1',
  'posthog-ruby': '3.23.2',
  'posthog-php': '4.13.2',
  'posthog-go': '1.23.1',
  'posthog-server': '2.3.3',
  'posthog-rs': '0.30.0',
} as const;
export type Sdk = keyof typeof NEWEST;

/** By SDK: the first release that decides as the server does; null: none does so far. SDKs that always did are left out. */
type Fixed = Partial<Record<Sdk, string | null>>;

const NOWHERE: Fixed = Object.fromEntries(Object.keys(NEWEST).map((sdk) => [sdk, null]));

/** `has`: what a flag has, in the words of the docs; `what`: what the SDK makes of it. */
export const DIFFERENCES: Readonly<Record<Trait, { has: string; what: string; fixed: Fixed }>> = {
  holdout: {
    has: 'a holdout',
    what: 'It knows no holdouts.',
    fixed: { ...NOWHERE, 'posthog-node': '5.52.6', 'posthog-python': '7.60.0' },
  },
  olderHoldout: {
    has: '`holdout_groups`, the older form',
    what: 'It does not read `holdout_groups`.',
    fixed: NOWHERE,
  },
  earlyExit: {
    has: '`early_exit`',
    what: 'It knows no `early_exit`: it goes on with the next condition set.',
    fixed: {
      'posthog-node': '5.37.0',
      'posthog-python': '7.18.0',
      'posthog-go': '1.15.0',
      'posthog-server': null,
      'posthog-rs': '0.10.0',
    },
  },
  superGroups: {
    has: '`super_groups`, without `feature_enrollment`',
    what: 'It does not read `super_groups`.',
    fixed: NOWHERE,
  },
  enrollment: {
    has: '`feature_enrollment`',
    what: 'Enrollment that is true is not the text "true" to it.',
    fixed: { 'posthog-go': null },
  },
  continuity: {
    has: 'experience continuity',
    what: 'It does not ask which answer somebody keeps.',
    fixed: { 'posthog-rs': null },
  },
  byDevice: {
    has: 'a bucket for each device',
    what: 'It deals percentages by the distinct id, not by the device.',
    fixed: { ...NOWHERE, 'posthog-node': '5.26.0', 'posthog-python': '7.9.0', 'posthog-go': '1.10.0' },
  },
  ofPages: {
    has: '`evaluation_runtime` `client`',
    what: 'It decides flags that are for pages only, which the server does not tell it.',
    fixed: NOWHERE,
  },
  cohort: {
    has: 'a cohort',
    what: 'A cohort that asks for a property which it is not told is a no to it.',
    fixed: { 'posthog-go': null },
  },
  notInCohort: {
    has: '`not_in` a cohort',
    what: 'It takes `not_in` a cohort for `in`.',
    fixed: {
      'posthog-node': '5.40.0',
      'posthog-python': '7.40.0',
      'posthog-ruby': null,
      'posthog-php': null,
      'posthog-go': null,
      'posthog-server': null,
    },
  },
  groupSet: {
    has: 'a percentage of groups, in a flag about persons',
    what: 'It deals the percentage of a condition set about groups by the person.',
    fixed: {
      'posthog-node': '5.35.14',
      'posthog-python': '7.16.0',
      'posthog-go': '1.19.0',
      'posthog-server': null,
      'posthog-rs': '0.7.0',
    },
  },
  personSet: {
    has: 'a percentage of persons, in a flag about groups',
    what: 'It deals the percentage of a condition set about persons by the group.',
    fixed: NOWHERE,
  },
  variantFirst: {
    has: 'a condition set with a variant, after one without',
    what: 'It tries condition sets that name a variant before the others.',
    fixed: {
      'posthog-node': '5.26.0',
      'posthog-python': '7.8.0',
      'posthog-ruby': '3.3.2',
      'posthog-php': '3.7.1',
      'posthog-go': '1.9.0',
      'posthog-server': null,
      'posthog-rs': null,
    },
  },
  percentageOfMatches: {
    has: 'a percentage of those that match conditions',
    what: 'It does not read the percentage of a condition set that has conditions.',
    fixed: { 'posthog-go': '1.9.0' },
  },
  comparedText: {
    has: '`gt` and its like with what is no number',
    what: 'It compares with what is no number as texts.',
    fixed: {
      'posthog-node': null,
      'posthog-python': NEWEST['posthog-python'],
      'posthog-ruby': null,
      'posthog-php': null,
      'posthog-server': null,
      'posthog-rs': null,
    },
  },
  ownDate: {
    has: 'a date without an offset, where the project is not in UTC, or in words',
    what: 'It reads a date that says no offset, or not as `2024-06-01T08:30:00Z` does, by a clock and in a way of its own.',
    fixed: NOWHERE,
  },
};

export type SdkDifference = { sdk: Sdk; versions: string; reason: string };

/**
 * @param flag may be newer than the definitions
 * @returns by SDK, with a range of versions as `<5.37.0`, or `<=3.23.2` where that is the newest that is known; none for a flag that
 *   everybody asks the server for, or that is off
 */
export function sdkDifferences(flag: JudgedFlag, definitions: StoredDefinitions): SdkDifference[] {
  if (!flag.active || isOfSurvey(flag) || flag.hasEncryptedPayloads) return [];
  const found = new Map<string, SdkDifference>();
  for (const one of [flag, ...dependenciesOf(flag, definitions)]) {
    for (const trait of traitsOf(one, definitions)) {
      const { what, fixed } = DIFFERENCES[trait];
      const reason = one.id === flag.id ? what : `It depends on flag ${one.key}: ${what}`;
      for (const [sdk, first] of Object.entries(fixed) as [Sdk, string | null][]) {
        const asks = sdk !== 'posthog-rs' && one.ensureExperienceContinuity;
        if (!asks)
          found.set(`${sdk} ${reason}`, { sdk, versions: first === null ? `<=${NEWEST[sdk]}` : `<${first}`, reason });
      }
    }
  }
  return [...found.values()].sort((a, b) => (a.sdk < b.sdk ? -1 : a.sdk > b.sdk ? 1 : 0));
}

function dependenciesOf(flag: JudgedFlag, definitions: StoredDefinitions): JudgedFlag[] {
  const { chainTo } = referencesIn(definitions);
  const chains = conditionsOf(flag)
    .flatMap(propertiesOf)
    .map((one) => chainTo(flagOf(one) ?? 0) ?? []);
  return [...new Set(chains.flat())].filter(({ id, active }) => active && id !== flag.id);
}
