/** The few calls of the public API that the check makes. */
import { setTimeout as sleep } from 'node:timers/promises';

/** A run's own account, in the fields that the check looks at. */
export type Run = {
  id: string;
  status: string;
  records_completed: number | null;
  data_interval_start: string;
  data_interval_end: string;
  receipt: { rows: number; digest: string; epoch: number } | null;
};

export type Backfill = { id: string; status: string; progress: { total_runs: number; finished_runs: number } };

type Page<T> = { next: string | null; results: T[] };

const POLL_MS = 1_000;

export function sluiceApi({ apiUrl, personalApiKey, projectId }: ApiOptions) {
  const exportsPath = `/api/environments/${projectId}/batch_exports/`;

  async function call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Response> {
    const response = await fetch(new URL(path, apiUrl), {
      method,
      headers: { authorization: `Bearer ${personalApiKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw notAnswered(apiUrl, error);
    });
    if (response.ok) return response;
    const waitSeconds = response.headers.get('retry-after');
    if (response.status === 429 && waitSeconds !== null) {
      await sleep(Number(waitSeconds) * 1000);
      return call(method, path, body);
    }
    throw new Error(`${method} ${path} answered ${response.status}: ${await detailOf(response)}`);
  }

  async function get<T>(path: string): Promise<T> {
    return (await (await call('GET', path)).json()) as T;
  }

  return {
    /** Finds out early whether there is a server that takes the key. @throws Error when not */
    async enterProject(): Promise<void> {
      await get(`/api/projects/${projectId}/`);
    },

    /** @returns the new export's id */
    async createExport(body: Record<string, unknown>): Promise<string> {
      const created = (await (await call('POST', exportsPath, body)).json()) as { id: string };
      return created.id;
    },

    /** Asks for every interval of a range to be delivered, and waits until all are. */
    async backfill(exportId: string, range: Range, onProgress: (backfill: Backfill) => void): Promise<Backfill> {
      const asked = await call('POST', `${exportsPath}${exportId}/backfill/`, {
        start_at: range.from,
        end_at: range.to,
      });
      const location = asked.headers.get('location');
      if (location === null) throw new Error('The backfill was accepted without a Location.');
      for (;;) {
        const backfill = await get<Backfill>(location);
        onProgress(backfill);
        if (backfill.status !== 'Starting' && backfill.status !== 'Running') return backfill;
        await sleep(POLL_MS);
      }
    },

    async runs(exportId: string): Promise<Run[]> {
      const runs: Run[] = [];
      for (let next: string | null = `${exportsPath}${exportId}/runs/`; next !== null;) {
        const page: Page<Run> = await get<Page<Run>>(next);
        runs.push(...page.results);
        next = page.next;
      }
      return runs;
    },
  };
}

function notAnswered(apiUrl: string, error: unknown): Error {
  const { message, cause } = error as Error & { cause?: { code?: string } };
  const reason = cause?.code ?? message;
  return new Error(
    `No server answers at ${apiUrl} (${reason}). Start one with "npm start", or name another's file with --connection.`,
    { cause: error },
  );
}

/** The sentence of an error of ours; of somebody else's, the status says enough. */
async function detailOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => ({}))) as { detail?: string };
  return body.detail ?? response.statusText;
}

export type ApiOptions = { apiUrl: string; personalApiKey: string; projectId: number };
/** Half-open, ISO, on the hour. */
export type Range = { from: string; to: string };
