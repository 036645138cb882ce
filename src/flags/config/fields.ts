/** Configuration of a project that SDKs receive along with its flags. Names and defaults are the ones that released SDKs expect. */
import type { FlagDefinition } from '../evaluation/definitions.ts';

/** The parts of a project that its configuration depends on. */
export type ConfiguredProject = {
  definitions: { flags: readonly Pick<FlagDefinition, 'active'>[] };
  settings: { hasSurveys: boolean };
};

export type Configuration = Readonly<Record<string, unknown>>;

/** Explicitly turns off features that the server does not offer, because SDKs treat absent fields differently. */
const FIXED_FIELDS = {
  captureDeadClicks: false,
  capturePerformance: false,
  // Without this field, first-time visitors' browsers would not autocapture anything.
  autocapture_opt_out: false,
  autocaptureExceptions: false,
  errorTracking: { autocaptureExceptions: false, suppressionRules: [] },
  analytics: { endpoint: '/i/v0/e/' },
  elementsChainAsString: true,
  sessionRecording: false,
  heatmaps: false,
  defaultIdentifiedOnly: true,
  siteApps: [],
};

/** Fields in `/array/:token/config` and `/flags`. posthog-js requests no flags when `hasFeatureFlags` is false. */
export function configurationOf({ definitions, settings }: ConfiguredProject): Configuration {
  return {
    ...FIXED_FIELDS,
    supportedCompression: ['gzip', 'gzip-js'],
    hasFeatureFlags: definitions.flags.some(({ active }) => active),
    surveys: settings.hasSurveys,
  };
}

/** Further fields of `/flags` and `/decide`. */
const SESSION = { config: { enable_collect_everything: true }, toolbarParams: {}, isAuthenticated: false };

/** Fields of `/flags` with `config=true`. */
export function flagsConfigurationOf(project: ConfiguredProject): Configuration {
  return { ...configurationOf(project), ...SESSION };
}

/** Fields of `/decide`: older SDKs compress bodies differently. */
export function decideConfigurationOf(project: ConfiguredProject): Configuration {
  return { ...flagsConfigurationOf(project), supportedCompression: ['gzip', 'lz64'] };
}

/** The answer to `GET /flags`, which names no project. */
export const minimalConfiguration: Configuration = {
  ...SESSION,
  supportedCompression: ['gzip', 'gzip-js'],
  sessionRecording: false,
};
