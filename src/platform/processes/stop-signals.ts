/** Stop requests to a process: a signal, or the end of the supervisor that started it. */

/**
 * One Ctrl-C arrives several times, because npm, the launcher and the terminal each send it: signals that follow the first one within
 * this time are of the same request.
 */
const SAME_REQUEST_MS = 500;

export type StopSignals = {
  /** Resolves with the source of the stop request; the process should finish its work, then end. */
  requested: Promise<string>;
  /** Resolves at a signal of a second request: the process must end now. */
  forced: Promise<void>;
};

/** To be called once in a process. Signals then no longer end the process; the caller must. */
export function stopSignals(): StopSignals {
  const requested = Promise.withResolvers<string>();
  const forced = Promise.withResolvers<void>();
  let firstAt: number | undefined;
  const onSignal = (name: string) => {
    firstAt ??= performance.now();
    requested.resolve(name);
    if (performance.now() - firstAt > SAME_REQUEST_MS) forced.resolve();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal);
  // A supervisor that was killed cannot send a signal, but its channel ends.
  process.once('disconnect', () => requested.resolve('the supervisor ended'));
  // Without this the listener would keep an idle process alive.
  process.channel?.unref();
  return { requested: requested.promise, forced: forced.promise };
}
