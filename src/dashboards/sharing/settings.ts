/** How a shared page looks, as its owner set it. */
import { InvalidInput } from '../../errors.ts';
import { compile, stringEnum, Type, type Static } from '../../schema.ts';

const Flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** Upstream's; all else that clients send is dropped. */
export const ShareSettings = Type.Object(
  {
    whitelabel: Flag('Without the line that says what made the page.'),
    noHeader: Flag('Without the name and the description.'),
    showInspector: Flag('Of recordings: kept, and changes nothing here.'),
    legend: Flag('Charts name their series, also when there is one only.'),
    detailed: Flag('The numbers of each chart stand open below it.'),
    hideExtraDetails: Flag('Without descriptions, dates and the numbers below charts.'),
    theme: Type.Optional(stringEnum(['light', 'dark', 'system'] as const)),
  },
  { title: 'ShareSettings' },
);
export type ShareSettings = Static<typeof ShareSettings>;

const NAMES = Object.keys(ShareSettings.properties);
const valid = compile(ShareSettings);

/**
 * @returns the known settings, without those that are null; null stays null
 * @throws InvalidInput
 */
export function readSettings(given: unknown): ShareSettings | null {
  if (given === null) return null;
  const isObject = typeof given === 'object' && !Array.isArray(given);
  const known = Object.entries(isObject ? given : {}).filter(([name, value]) => NAMES.includes(name) && value !== null);
  const settings = Object.fromEntries(known);
  if (isObject && valid(settings)) return settings;
  throw new InvalidInput('Invalid settings format', 'settings');
}
