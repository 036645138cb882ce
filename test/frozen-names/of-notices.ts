/** Names in notices: what webhooks get. */
import ts from 'typescript';
import { hostRules } from '../../src/platform/net/host-rules.ts';
import { NOTICE_KINDS } from '../../src/platform/notify/notice.ts';
import { cloudEvent, sendWebhook } from '../../src/platform/notify/webhook.ts';
import { startWebhookReceiver } from '../support/servers/webhook-receiver.ts';
import type { Kind } from './kind.ts';
import { membersOf, type Product } from './product.ts';

export const NOTICE_KIND: readonly Kind[] = [
  {
    name: 'http/webhooks',
    writtenTo: 'the programs that receive webhooks',
    least: 25,
    present: async ({ product }) => [...(await received()), ...details(product())],
  },
];

/** As a receiver gets them. */
async function received(): Promise<string[]> {
  const receiver = await startWebhookReceiver();
  try {
    const about = { id: 'a', projectId: 7, name: 'web', destinationType: 'S3', interval: 'hour' };
    const rest = { id: 'b', projectId: 7, batchExportId: 'a', createdAt: '2024-03-21T00:00:00Z', attempts: 1 };
    const rules = hostRules(['127.0.0.1']);
    const webhook = { url: receiver.url, secret: `whsec_${Buffer.alloc(24).toString('base64')}` };
    for (const kind of NOTICE_KINDS) {
      const event = cloudEvent({ ...rest, kind, summary: 'said', details: {} }, about);
      await sendWebhook(webhook, 'b', event, { rules, signal: new AbortController().signal });
    }
    return receiver.received.flatMap(({ headers, body }) => {
      const event = JSON.parse(body) as { type: string; source: string; data: { batch_export: object } };
      return [
        ...Object.keys(headers).flatMap((name) => (name.startsWith('webhook-') ? [`header ${name}`] : [])),
        `header content-type = ${headers['content-type']}`,
        ...Object.keys(event),
        ...Object.keys(event.data).map((name) => `data.${name}`),
        ...Object.keys(event.data.batch_export).map((name) => `data.batch_export.${name}`),
        `type = ${event.type}`,
        `source = ${event.source}`,
      ];
    });
  } finally {
    await receiver.stop();
  }
}

/** Names that notices add to `data`, by the types of objects that have `summary` and `details`. */
function details(product: Product): string[] {
  const found: string[] = [];
  for (const node of product.nodes()) {
    if (!ts.isObjectLiteralExpression(node)) continue;
    const named = node.properties.map(({ name }) => name?.getText());
    if (!named.includes('summary') || !named.includes('details')) continue;
    const type = product.checker.getTypeAtLocation(node).getProperty('details');
    if (type) found.push(...membersOf(product, product.checker.getTypeOfSymbolAtLocation(type, node), 'data'));
  }
  return found;
}
