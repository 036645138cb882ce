/**
 * Lists released SDKs that decide a flag differently from the server in local evaluation. The API shows this for each flag, because SDKs
 * silently ignore unknown fields. Users can upgrade the SDK, or let it ask the server for this flag.
 *
 * The facts come from the SDKs' sources, and from running those SDKs for which `test/sdks/table.json` has results.
 */
import { isOfSurvey } from '../evaluation/definitions.ts';
import type { EvaluableFlag } from './local-evaluation.ts';
import { conditionsOf, flagIdOf, propertiesOf, referencesIn } from './references.ts';
import { traitsOf, type Trait } from './sdk-traits.ts';
import type { StoredDefinitions } from './stored-definitions.ts';

/** The newest release of each SDK that was examined. */
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

/** The first release of each SDK that decides as the server does; null if none does. SDKs that always did are left out. */
type FixedIn = Partial<Record<Sdk, string | null>>;

const NEVER_FIXED: FixedIn = Object.fromEntries(Object.keys(NEWEST).map((sdk) => [sdk, null]));

/** `has`: the part of a flag, for the docs; `what`: how the SDK evaluates it, for users of the API. */
export const DIFFERENCES: Readonly<Record<Trait, { flagPart: string; behaviour: string; fixedIn: FixedIn }>> = {
  holdout: {
    flagPart: 'a holdout',
    behaviour: 'It ignores holdouts.',
    fixedIn: { ...NEVER_FIXED, 'posthog-node': '5.52.6', 'posthog-python': '7.60.0' },
  },
  olderHoldout: {
    flagPart: '`holdout_groups`, the older form',
    behaviour: 'It ignores `holdout_groups`.',
    fixedIn: NEVER_FIXED,
  },
  earlyExit: {
    flagPart: '`early_exit`',
    behaviour: 'It ignores `early_exit` and continues with the next condition set.',
    fixedIn: {
      'posthog-node': '5.37.0',
      'posthog-python': '7.18.0',
      'posthog-go': '1.15.0',
      'posthog-server': null,
      'posthog-rs': '0.10.0',
    },
  },
  superGroups: {
    flagPart: '`super_groups`, without `feature_enrollment`',
    behaviour: 'It ignores `super_groups`.',
    fixedIn: NEVER_FIXED,
  },
  enrollment: {
    flagPart: '`feature_enrollment`',
    behaviour: 'It matches enrollment that is the text "true" only, not the boolean.',
    fixedIn: { 'posthog-go': null },
  },
  continuity: {
    flagPart: 'experience continuity',
    behaviour: 'It decides by the distinct id, and ignores the answer that the person got before.',
    fixedIn: { 'posthog-rs': null },
  },
  byDevice: {
    flagPart: 'percentages of devices',
    behaviour: 'It applies percentages to distinct ids instead of devices.',
    fixedIn: { ...NEVER_FIXED, 'posthog-node': '5.26.0', 'posthog-python': '7.9.0', 'posthog-go': '1.10.0' },
  },
  clientRuntime: {
    flagPart: '`evaluation_runtime` `client`',
    behaviour: 'It decides flags of the runtime `client`, which the server leaves out of answers to servers.',
    fixedIn: NEVER_FIXED,
  },
  cohort: {
    flagPart: 'a cohort',
    behaviour: 'It counts a person as outside of a cohort if a property that the cohort uses is not passed to it.',
    fixedIn: { 'posthog-go': null },
  },
  notInCohort: {
    flagPart: '`not_in` a cohort',
    behaviour: 'It evaluates `not_in` a cohort as `in`: the members of the cohort match, and all others do not.',
    fixedIn: {
      'posthog-node': '5.40.0',
      'posthog-python': '7.40.0',
      'posthog-ruby': null,
      'posthog-php': null,
      'posthog-go': null,
      'posthog-server': null,
    },
  },
  groupConditionSet: {
    flagPart: 'a percentage of groups, in a flag about persons',
    behaviour: 'It applies the percentage of a condition set about groups to persons.',
    fixedIn: {
      'posthog-node': '5.35.14',
      'posthog-python': '7.16.0',
      'posthog-go': '1.19.0',
      'posthog-server': null,
      'posthog-rs': '0.7.0',
    },
  },
  personConditionSet: {
    flagPart: 'a percentage of persons, in a flag about groups',
    behaviour: 'It applies the percentage of a condition set about persons to groups.',
    fixedIn: NEVER_FIXED,
  },
  variantFirst: {
    flagPart: 'a condition set with a variant, after one without',
    behaviour: 'It tries condition sets that name a variant before the others.',
    fixedIn: {
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
    flagPart: 'a percentage in a condition set with conditions',
    behaviour: 'It ignores the percentage of a condition set that has conditions.',
    fixedIn: { 'posthog-go': '1.9.0' },
  },
  comparedText: {
    flagPart: '`gt`, `gte`, `lt` or `lte` with a value that is not a number',
    behaviour: 'It compares values that are not numbers as texts, where the server matches nobody.',
    fixedIn: {
      'posthog-node': null,
      'posthog-python': NEWEST['posthog-python'],
      'posthog-ruby': null,
      'posthog-php': null,
      'posthog-server': null,
      'posthog-rs': null,
    },
  },
  ambiguousDate: {
    flagPart:
      'a date without an offset, where the project is not in UTC, or in another form than `2024-06-01T08:30:00Z`',
    behaviour:
      'It may read this date differently or not at all: the date has no offset while the project is not in UTC, or it is not written like `2024-06-01T08:30:00Z`.',
    fixedIn: NEVER_FIXED,
  },
};

export type SdkDifference = { sdk: Sdk; versions: string; reason: string };

/**
 * @param flag may be newer than the definitions
 * @returns sorted by SDK, each with a range of versions such as `<5.37.0`, or `<=3.23.2` if the newest examined release differs too;
 *   empty for a flag that is off or that no SDK evaluates locally
 */
export function sdkDifferences(flag: EvaluableFlag, definitions: StoredDefinitions): SdkDifference[] {
  if (!flag.active || isOfSurvey(flag) || flag.hasEncryptedPayloads) return [];
  const differences = new Map<string, SdkDifference>();
  for (const judgedFlag of [flag, ...dependenciesOf(flag, definitions)]) {
    for (const trait of traitsOf(judgedFlag, definitions)) {
      const { behaviour, fixedIn } = DIFFERENCES[trait];
      const reason = judgedFlag.id === flag.id ? behaviour : `It depends on flag ${judgedFlag.key}: ${behaviour}`;
      for (const [sdk, first] of Object.entries(fixedIn) as [Sdk, string | null][]) {
        const asksServer = sdk !== 'posthog-rs' && judgedFlag.ensureExperienceContinuity;
        if (!asksServer)
          differences.set(`${sdk} ${reason}`, {
            sdk,
            versions: first === null ? `<=${NEWEST[sdk]}` : `<${first}`,
            reason,
          });
      }
    }
  }
  return [...differences.values()].sort((a, b) => (a.sdk < b.sdk ? -1 : a.sdk > b.sdk ? 1 : 0));
}

function dependenciesOf(flag: EvaluableFlag, definitions: StoredDefinitions): EvaluableFlag[] {
  const { dependencyChainOf } = referencesIn(definitions);
  const chains = conditionsOf(flag)
    .flatMap(propertiesOf)
    .map((dependency) => dependencyChainOf(flagIdOf(dependency) ?? 0) ?? []);
  return [...new Set(chains.flat())].filter(({ id, active }) => active && id !== flag.id);
}
