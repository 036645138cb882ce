import { Link, type ErrorComponentProps } from '@tanstack/react-router';
import { ApiError } from '../api/client.ts';
import { Empty, Failure } from '../look/notes.tsx';

export function NotFoundPage() {
  return (
    <main style={{ padding: 16 }}>
      <Empty action={<Link to="/">Go to the exports</Link>}>There is no page at this address.</Empty>
    </main>
  );
}

/** Replaces a page that could not be shown, so it is never blank. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const isMissing = error instanceof ApiError && error.status === 404;
  return (
    <main style={{ padding: 16 }}>
      {isMissing ? (
        <Empty action={<Link to="/">Go to the exports</Link>}>It is not here any more, or you may not see it.</Empty>
      ) : (
        <Failure error={error} onRetry={reset} />
      )}
    </main>
  );
}
