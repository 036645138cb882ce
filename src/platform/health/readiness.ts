/** Readiness: whether a process can do its work now, for load balancers and supervisors. */

/** A condition that must hold. `check` returns undefined when it holds, else the reason in words that may be public. */
export type Check = {
  name: string;
  check(): Promise<string | undefined>;
  /** A failure is reported, but the process stays ready, because other processes do the failing work. */
  advisory?: true;
};

export type Readiness = {
  ready: boolean;
  /** `ok` or the reason, by the name of the check. */
  checks: Record<string, string>;
};

export type Health = {
  readiness(): Promise<Readiness>;
  /** Makes the process unready for good: it finishes its work and takes no new requests. */
  drain(): void;
};

const CHECK_TIMEOUT_MS = 2_000;

/** @param timeoutMs a check that takes longer has failed */
export function createHealth(checks: readonly Check[], timeoutMs = CHECK_TIMEOUT_MS): Health {
  let isDraining = false;
  return {
    async readiness() {
      if (isDraining) return { ready: false, checks: { process: 'shutting down' } };
      const answers = await Promise.all(
        checks.map(async (check) => [check.name, await run(check, timeoutMs), check.advisory ?? false] as const),
      );
      return {
        ready: answers.every(([, answer, advisory]) => advisory || answer === 'ok'),
        checks: Object.fromEntries(answers),
      };
    },
    drain() {
      isDraining = true;
    },
  };
}

async function run({ check }: Check, timeoutMs: number): Promise<string> {
  const timeout = Promise.withResolvers<string>();
  const timer = setTimeout(() => timeout.resolve(`no answer within ${timeoutMs / 1000} s`), timeoutMs);
  try {
    return await Promise.race([check().then((reason) => reason ?? 'ok'), timeout.promise]);
  } catch {
    // The error may name hosts and users, and is logged where it occurs.
    return 'not reachable';
  } finally {
    clearTimeout(timer);
  }
}
