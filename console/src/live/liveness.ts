/** Whether changes arrive as they happen. Outside of React, because queries ask, too: it decides how often they look again. */
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

/** While changes arrive: new intervals begin and lags grow without one. */
const MINUTE_MS = 60_000;

/** `refetchInterval` of a query about exports. @param downMs while changes do not arrive by themselves */
export function pollMs(downMs: number): number {
  return isOn ? MINUTE_MS : downMs;
}
