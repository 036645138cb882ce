/** Whether changes arrive as they happen. Outside of React, because it also sets the polling interval of queries. */
import { useSyncExternalStore } from 'react';

let isOn = false;
const watchers = new Set<() => void>();

export function setLive(isLive: boolean): void {
  if (isOn === isLive) return;
  isOn = isLive;
  watchers.forEach((watcher) => watcher());
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

export const useIsLive = () => useSyncExternalStore(watch, () => isOn);

/** Polling interval while changes arrive, because new intervals and growing lags send no change. */
const MINUTE_MS = 60_000;

/** `refetchInterval` of a query about exports. @param downMs interval while changes do not arrive */
export function pollMs(downMs: number): number {
  return isOn ? MINUTE_MS : downMs;
}
