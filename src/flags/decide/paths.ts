/** Paths where flags are decided, each with and without a trailing slash. */
import type { Fields } from '../../platform/wire/fields.ts';

/** Shape of the answer (`answers.ts`). */
export type Shape = 'keys' | 'enabled' | 'values' | 'details' | 'analysis';

/** Form of the answer that a request asks for. */
export type AnswerForm = {
  shape: Shape;
  withConfig: boolean;
  /** The path whose form of the configuration is returned. */
  style: 'flags' | 'decide';
};

export type DecidePath = {
  methods: readonly string[];
  /** @param query of the request */
  formOf(query: Fields): AnswerForm;
};

const DECIDE_SHAPES: readonly Shape[] = ['keys', 'keys', 'enabled', 'values', 'details'];

/** The path that SDKs used before 2025. */
const decidePath: DecidePath = {
  methods: ['POST', 'OPTIONS'],
  formOf: (query) => ({ shape: DECIDE_SHAPES[Math.min(versionOf(query) ?? 1, 4)]!, withConfig: true, style: 'decide' }),
};

const flagsPath: DecidePath = {
  methods: ['GET', 'POST', 'OPTIONS', 'HEAD'],
  formOf(query) {
    const version = versionOf(query);
    const config = query('config');
    const details = isTrue(query('detailed_analysis')) ? 'analysis' : 'details';
    // A request without options gets everything.
    if (version === undefined && config === undefined) return { shape: details, withConfig: true, style: 'flags' };
    return { shape: (version ?? 1) >= 2 ? details : 'values', withConfig: isTrue(config), style: 'flags' };
  },
};

const PATHS = new Map<string, DecidePath>([
  ['/flags', flagsPath],
  ['/flags/', flagsPath],
  ['/decide', decidePath],
  ['/decide/', decidePath],
]);

/** @param url of a request, with its query @returns undefined for other paths */
export function decidePathOf(url: string): DecidePath | undefined {
  const query = url.indexOf('?');
  return PATHS.get(query < 0 ? url : url.slice(0, query));
}

/** Whether an on-off parameter is on. */
export function isTrue(text: string | undefined): boolean {
  return text === 'true' || text === '1';
}

/** @returns undefined without a version; 1 for text that is not a number */
function versionOf(query: Fields): number | undefined {
  const text = query('v') ?? query('version');
  if (text === undefined) return undefined;
  return /^\d{1,9}$/.test(text) ? Number(text) : 1;
}
