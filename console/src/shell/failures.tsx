import { Link, type ErrorComponentProps } from '@tanstack/react-router';
import { ApiError, GONE } from '../api/client.ts';
import { ChunkError } from '../chunks/lazy-chunk.ts';
import { MissingChunk } from '../chunks/missing-chunk.tsx';
import { Empty, Failure } from '../look/notes.tsx';

export function NotFoundPage() {
  return (
    <main style={{ padding: 16 }}>
      <h1>Page not found</h1>
      <Empty action={<Link to="/">Go to the exports</Link>}>There is no page at this address.</Empty>
    </main>
  );
}

/** Replaces a page that could not be shown, so it is never blank. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  if (error instanceof ChunkError) {
    return (
      <main style={{ padding: 16 }}>
        <MissingChunk error={error} isPage onLoaded={reset} />
      </main>
    );
  }
  const isMissing = error instanceof ApiError && error.status === 404;
  return (
    <main style={{ padding: 16 }}>
      <h1>{isMissing ? 'Not found' : 'This page could not be shown'}</h1>
      {isMissing ? (
        <Empty action={<Link to="/">Go to the exports</Link>}>{GONE}</Empty>
      ) : (
        <Failure error={error} onRetry={reset} />
      )}
    </main>
  );
}
