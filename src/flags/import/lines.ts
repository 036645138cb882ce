/** Formats the outcomes of an import for people: a line for each flag and cohort, and a summary. */
import { isIncomplete, type Kind, type Outcome, type Refusal } from './outcome.ts';

const MAX_NAME = 100;
/** Maximum number of characters printed of a text from a server or a file. */
export const MAX_REASON = 500;

/** Verbs of a dry run, which does none of it. */
const PLANNED: Readonly<Record<Outcome['outcome'], string>> = {
  created: 'create',
  exists: 'exists',
  updated: 'update',
  refused: 'refuse',
  skipped: 'skip',
};

/** Recognizes refusals of unsupported regular expressions, for which docs/feature-flags.md shows alternatives. */
const REWRITABLE = /\b(?:lookahead|lookbehind|back-reference|atomic group|possessive quantifier)\b/i;
const REWRITES = 'docs/feature-flags.md, "Patterns without lookaround", shows equivalents';

export function lineOf(outcome: Outcome, dryRun: boolean): string {
  const verb = dryRun ? PLANNED[outcome.outcome] : outcome.outcome;
  const notes = notesOf(outcome).join('; ');
  return `${verb.padEnd(7)}  ${outcome.kind.padEnd(6)}  ${printable(outcome.name, MAX_NAME)}${notes && `  ${notes}`}`;
}

function notesOf({ kind, outcome, active, refusal, notImported, differs, withoutPayload }: Outcome): string[] {
  if (refusal && outcome === 'refused') return [reasonOf(refusal)];
  if (outcome === 'skipped') return ['deleted in the export'];
  const notes: string[] = [];
  if (kind === 'flag' && !active) notes.push('inactive');
  if (withoutPayload) notes.push('the payload is missing: it is encrypted, and the export masks it; set it here');
  if (refusal) notes.push(`cannot be compared: ${reasonOf(refusal)}`);
  if (differs.length > 0) notes.push(`differs in ${printable(differs.join(', '), MAX_REASON)}; --update changes it`);
  if (notImported.length > 0) notes.push(`left out: ${printable(notImported.join(', '), MAX_REASON)}`);
  return notes;
}

function reasonOf({ attr, reason }: Refusal): string {
  const text = `${attr === null ? '' : `${attr}: `}${reason}`;
  const hint = REWRITABLE.test(reason) && reason.includes('regular expression') ? ` (${REWRITES})` : '';
  return printable(text, MAX_REASON) + hint;
}

export type Summary = Record<Kind, Record<Outcome['outcome'], number>> & { incomplete: number };

const NONE = { created: 0, exists: 0, updated: 0, refused: 0, skipped: 0 };

export function emptySummary(): Summary {
  return { cohort: { ...NONE }, flag: { ...NONE }, incomplete: 0 };
}

export function addToSummary(summary: Summary, outcome: Outcome): void {
  summary[outcome.kind][outcome.outcome] += 1;
  if (isIncomplete(outcome)) summary.incomplete += 1;
}

export function summaryLine(summary: Summary, dryRun: boolean): string {
  const counts = (['cohort', 'flag'] as const).map((kind) => {
    const numbers = Object.entries(summary[kind]).filter(([, number]) => number > 0);
    const all = numbers.reduce((sum, [, number]) => sum + number, 0);
    const parts = numbers.map(
      ([outcome, number]) => `${number} ${dryRun ? PLANNED[outcome as Outcome['outcome']] : outcome}`,
    );
    return `${all} ${kind}${all === 1 ? '' : 's'}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`;
  });
  return `${counts.join('. ')}.${dryRun ? ' Nothing was written.' : ''}`;
}

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** @param json without line breaks @returns the same JSON with escaped control characters, which a terminal would interpret */
export function printableJson(json: string): string {
  return json.replace(UNPRINTABLE, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** Escapes names and reasons from files and servers, which may contain characters that move the cursor or reverse the line. */
export function printable(text: string, maxCharacters: number): string {
  const cut = text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
  return cut.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
