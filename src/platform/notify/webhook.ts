/** Notices as CloudEvents 1.0 in structured JSON (https://github.com/cloudevents/spec), signed as Standard Webhooks has it. */
import { InvalidInput } from '../errors.ts';
import { checkUrl } from '../net/endpoint.ts';
import { HostRefused, type HostRules } from '../net/host-rules.ts';
import { post } from '../net/post.ts';
import { checkSigningSecret, signedHeaders } from '../net/webhook-signature.ts';
import type { Outgoing } from './outbox.store.ts';

const TIMEOUT_MS = 10_000;

/** The batch export that a notice is about. */
export type Subject = { id: string; projectId: number; name: string; destinationType: string; interval: string };

/** @returns the envelope with its data; the same for every attempt of the same notice */
export function cloudEvent(notice: Outgoing, subject: Subject): Record<string, unknown> {
  const { id, projectId, name, destinationType, interval } = subject;
  return {
    specversion: '1.0',
    id: notice.id,
    type: `sluice.batch_export.${notice.kind}`,
    source: `/api/projects/${projectId}/batch_exports/${id}/`,
    subject: id,
    time: notice.createdAt,
    datacontenttype: 'application/json',
    data: {
      batch_export: { id, team_id: projectId, name, destination: destinationType, interval },
      summary: notice.summary,
      ...notice.details,
    },
  };
}

export type Webhook = { url: string; secret: string };

/** @returns undefined when the receiver accepted it (2xx), else the reason for the user, without addresses */
export async function sendWebhook(
  { url, secret }: Webhook,
  id: string,
  event: Record<string, unknown>,
  { rules, signal }: { rules: HostRules; signal: AbortSignal },
): Promise<string | undefined> {
  const body = JSON.stringify(event);
  const headers = {
    'content-type': 'application/cloudevents+json; charset=utf-8',
    'user-agent': 'Sluice',
    ...signedHeaders(secret, id, body),
  };
  try {
    const status = await post({ url: await checkUrl(url, rules), headers, body, rules, timeoutMs: TIMEOUT_MS, signal });
    return status >= 200 && status < 300 ? undefined : `it answered ${status}`;
  } catch (error) {
    signal.throwIfAborted();
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof HostRefused) return 'its host cannot be used';
  if ((error as Error).name === 'TimeoutError') return `it did not answer within ${TIMEOUT_MS / 1000} s`;
  const { code } = error as { code?: unknown };
  return `it could not be reached${typeof code === 'string' ? ` (${code})` : ''}`;
}

/** Checks a webhook's address when it is saved. @throws InvalidInput */
export async function checkWebhookUrl(url: string, rules: HostRules): Promise<void> {
  await checkUrl(url, rules).catch((error: unknown) => {
    throw error instanceof HostRefused ? new InvalidInput(error.message, 'notifications__webhook__url') : error;
  });
}

/** @throws InvalidInput unless the secret is base64 of 24 to 64 bytes */
export function checkWebhookSecret(secret: string): void {
  checkSigningSecret(secret, 'notifications__webhook__secret');
}
