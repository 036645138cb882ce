/** Pages and dialogs whose code is loaded when they are first shown. */
import { lazyRouteComponent } from '@tanstack/react-router';

/** Thrown when code did not arrive: the network is gone, or an upgrade of the server replaced the code's file. */
export class ChunkError extends Error {
  /** Loads the code again; rejects if that fails too. */
  readonly retry: () => Promise<void>;

  constructor(cause: unknown, retry: () => Promise<void>) {
    // A text of our own: for the browser's text the router would reload the page, even without a network.
    super('The code of this page could not be loaded.', { cause });
    this.retry = retry;
  }
}

/** A component of a module that is loaded when it is first rendered. It throws a `ChunkError` where the module does not arrive. */
export function lazyChunk<Module extends object, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) {
  const component = lazyRouteComponent<Module, Name>(
    () =>
      load().catch((cause: unknown) => {
        throw new ChunkError(cause, retry);
      }),
    name,
  );
  async function retry(): Promise<void> {
    reloadFailedStyleSheets();
    await load();
    await component.preload?.();
  }
  return component;
}

/** Requests failed style sheets again, because the next import would take them for loaded. */
function reloadFailedStyleSheets(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]'))
    if (!link.sheet) link.setAttribute('href', link.href);
}

export type ChunkFault = 'offline' | 'unreachable' | 'missing';

/** @returns the reason why code does not load; if the server answers, its files have changed since this page was loaded */
export async function faultOfChunks(): Promise<ChunkFault> {
  const answer = await fetch('/', { headers: { Accept: 'text/html' }, cache: 'no-store' }).catch(() => undefined);
  return answer?.ok ? 'missing' : navigator.onLine ? 'unreachable' : 'offline';
}

const RELOADED_FOR = 'sluice:reloaded-for';

/** Loads the page again, but never twice in a row for the same error. @returns whether it does */
export function reloadOnce({ cause }: ChunkError): boolean {
  const file = String(cause);
  if (sessionStorage.getItem(RELOADED_FOR) === file) return false;
  sessionStorage.setItem(RELOADED_FOR, file);
  location.reload();
  return true;
}
