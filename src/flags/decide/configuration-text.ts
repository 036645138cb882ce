/** The configuration in answers as JSON text, written once per version of a project. */
import {
  decideConfigurationOf,
  flagsConfigurationOf,
  minimalConfiguration,
  type Configuration,
  type ConfiguredProject,
} from '../config/fields.ts';

type TextOf = (project: ConfiguredProject) => string;

/** Fields of JSON objects, without the braces. */
export type ConfigurationTexts = {
  flags: TextOf;
  decide: TextOf;
  /** For requests that belong to no project. */
  minimal: string;
  /** For a project that cannot be looked up: it may have flags. */
  unknown: string;
};

export function configurationTexts(): ConfigurationTexts {
  return {
    flags: cacheText(flagsConfigurationOf),
    decide: cacheText(decideConfigurationOf),
    minimal: fieldsTextOf(minimalConfiguration),
    unknown: fieldsTextOf({ ...minimalConfiguration, hasFeatureFlags: true }),
  };
}

function cacheText(configurationOf: (project: ConfiguredProject) => Configuration): TextOf {
  const texts = new WeakMap<ConfiguredProject, string>();

  return (project) => {
    const cached = texts.get(project);
    if (cached !== undefined) return cached;
    const text = fieldsTextOf(configurationOf(project));
    texts.set(project, text);
    return text;
  };
}

function fieldsTextOf(configuration: Configuration): string {
  return JSON.stringify(configuration).slice(1, -1);
}
