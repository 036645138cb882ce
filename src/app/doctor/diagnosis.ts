/** Runs the checks of `sluice doctor`: each looks at one part of an installation, and names a fix for what it finds. */
import { SluiceError } from '../../platform/errors.ts';

/** `problem`: something does not work. `warning`: it works now, but may soon not. */
export type Level = 'ok' | 'warning' | 'problem' | 'skipped';

export type Finding = {
  level: Level;
  /** A sentence about the finding, without secrets. */
  detail: string;
  /** The remedy, as a sentence for the operator; absent where nothing is wrong. */
  fix?: string;
};

export type Examination = {
  /** Name for people and programs, such as `temporal workers`. */
  name: string;
  /** Names of the checks that this one depends on: it is skipped if one of them has a problem or was skipped. */
  needs?: readonly string[];
  /** Longest time that it may take, in milliseconds; 10 seconds if absent. */
  timeoutMs?: number;
  /** @throws errors, which are reported as a problem by their class and code */
  run(): Promise<Finding | readonly Finding[]>;
};

export type Diagnosis = Finding & { check: string };

const TIMEOUT_MS = 10_000;

export const ok = (detail: string): Finding => ({ level: 'ok', detail });
export const warning = (detail: string, fix: string): Finding => ({ level: 'warning', detail, fix });
export const problem = (detail: string, fix: string): Finding => ({ level: 'problem', detail, fix });

/** Makes the checks one after another, in their order, and yields what each found as soon as it is known. */
export async function* diagnose(examinations: readonly Examination[]): AsyncGenerator<Diagnosis> {
  const broken = new Set<string>();
  for (const examination of examinations) {
    const { name, needs = [] } = examination;
    const missing = needs.find((need) => broken.has(need));
    const findings: readonly Finding[] =
      missing === undefined
        ? await examine(examination)
        : [{ level: 'skipped', detail: `Not checked, because of the problem with ${missing}.` }];
    for (const finding of findings) {
      if (finding.level === 'problem' || finding.level === 'skipped') broken.add(name);
      yield { check: name, ...finding };
    }
  }
}

async function examine({ run, timeoutMs = TIMEOUT_MS }: Examination): Promise<readonly Finding[]> {
  const timeout = Promise.withResolvers<Finding>();
  const timer = setTimeout(
    () =>
      timeout.resolve(problem(`No answer within ${timeoutMs / 1000} seconds.`, 'Look at that server’s log and load.')),
    timeoutMs,
  );
  try {
    return [await Promise.race([run(), timeout.promise])].flat();
  } catch (error) {
    return [problem(describe(error), 'Look at the log of that server, and of Sluice.')];
  } finally {
    clearTimeout(timer);
  }
}

/** Foreign errors quote hosts and users, so only their code is shown. */
function describe(error: unknown): string {
  if (error instanceof SluiceError) return error.message;
  const { code } = error as { code?: unknown };
  return `The check failed${typeof code === 'string' || typeof code === 'number' ? ` (${code})` : ''}.`;
}
