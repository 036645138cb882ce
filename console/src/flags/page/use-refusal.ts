/** Why the server refused an edit, and where: `filters__groups__0__rollout_percentage`. */
import { useState } from 'react';
import { ApiError } from '../../api/client.ts';

export type Refusal = {
  /** @returns the error at this field, or inside it */
  at(place: string): string | undefined;
  error: unknown;
  show(error: unknown): void;
};

export function useRefusal(): Refusal {
  const [error, setError] = useState<unknown>();
  const attr = error instanceof ApiError ? error.attr : null;
  return {
    error,
    at: (place) => (attr === place || attr?.startsWith(`${place}__`) ? (error as ApiError).message : undefined),
    show: setError,
  };
}
