/** How a shared page looks, as its owner chose. */
import { InvalidInput } from '../../platform/errors.ts';
import { invalidInput } from '../../platform/http/validation.ts';
import { compile, stringEnum, Type, type Static } from '../../platform/schema.ts';

const THEMES = ['light', 'dark', 'system'] as const;
const Flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** Upstream's settings; all else that clients send is dropped. */
export const ShareSettings = Type.Object(
  {
    whitelabel: Flag('Without the line that says what made the page.'),
    noHeader: Flag('Without the name and the description.'),
    showInspector: Flag('Of recordings: kept, and changes nothing here.'),
    legend: Flag('Charts name their series, also when there is one only.'),
    detailed: Flag('The numbers of each chart stand open below it.'),
    hideExtraDetails: Flag('Without descriptions, dates and the numbers below charts.'),
    theme: Type.Optional(stringEnum(THEMES)),
  },
  { title: 'ShareSettings' },
);
export type ShareSettings = Static<typeof ShareSettings>;

const NAMES = Object.keys(ShareSettings.properties);
const valid = compile(ShareSettings);

/**
 * @returns the known settings, without those that are null; null stays null
 * @throws InvalidInput naming the setting
 */
export function readSettings(input: unknown): ShareSettings | null {
  if (input === null) return null;
  if (typeof input !== 'object' || Array.isArray(input)) throw new InvalidInput('Invalid settings format', 'settings');
  const knownSettings = Object.entries(input).filter(([name, value]) => NAMES.includes(name) && value !== null);
  const settings = Object.fromEntries(knownSettings);
  if (valid(settings)) return settings;
  const { message, attr, code } = invalidInput(valid.errors ?? [], ShareSettings);
  const choices = attr === 'theme' ? ` There are: ${THEMES.join(', ')}.` : '';
  throw new InvalidInput(`${message}${choices}`, `settings__${attr}`, code);
}
