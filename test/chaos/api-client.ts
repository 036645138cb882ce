/** The API as a client sees it that asks the other process when one is away. */
import { setTimeout as sleep } from 'node:timers/promises';

export type Answer = { status: number; body: unknown };
export type ApiClient = {
  /** One try at one of the processes. `status` 0: there was no answer. */
  sendRequest(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Asks until the answer is not one of outages (none, 503). */
  askUntilAnswered(method: string, path: string, body?: unknown): Promise<Answer>;
  /** As `askUntilAnswered`. @returns the body of a good answer. @throws Error for any other */
  done<Body>(method: string, path: string, body?: unknown): Promise<Body>;
  /** Answers that no client should see: anything of 500 and above but 503. */
  serverErrors: string[];
};

const PATIENCE_MS = 20_000;

export function apiClient(urls: readonly string[], projectId: number, key: string): ApiClient {
  let next = 0;
  const serverErrors: string[] = [];
  async function sendRequest(method: string, path: string, body?: unknown): Promise<Answer> {
    const url = urls[next++ % urls.length]!;
    try {
      const response = await fetch(`${url}/api/projects/${projectId}${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      const text = await response.text();
      if (response.status >= 500 && response.status !== 503) serverErrors.push(`${method} ${path}: ${response.status}`);
      return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
    } catch {
      return { status: 0, body: undefined };
    }
  }
  async function askUntilAnswered(method: string, path: string, body?: unknown): Promise<Answer> {
    for (let attempt = 0; attempt < 300; attempt++) {
      const answer = await sendRequest(method, path, body);
      if (answer.status !== 0 && answer.status !== 503 && answer.status !== 429) return answer;
      await sleep(500);
    }
    throw new Error(`${method} ${path} was not answered for minutes`);
  }
  return {
    sendRequest: sendRequest,
    askUntilAnswered,
    serverErrors,
    async done<Body>(method: string, path: string, given?: unknown) {
      const { status, body } = await askUntilAnswered(method, path, given);
      if (status < 200 || status >= 300)
        throw new Error(`${method} ${path} answered ${status} ${JSON.stringify(body)}`);
      return body as Body;
    },
  };
}
