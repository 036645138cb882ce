import assert from 'node:assert/strict';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { deliverNotifications } from '../../../activities/rounds/deliver-notifications.ts';
import type { BatchExport } from '../../../src/exports/batch-exports/batch-export.ts';
import { notificationSettings } from '../../../src/exports/monitoring/notifications.ts';
import { configEncryption } from '../../../src/exports/integrations/config-encryption.ts';
import { hostRules } from '../../../src/platform/net/host-rules.ts';
import { createMailer, type Mailer } from '../../../src/platform/notify/mail.ts';
import type { NotificationsIn, NoticeKind } from '../../../src/platform/notify/notice.ts';
import { createKeyRing, generateKeyRing } from '../../../src/platform/secrets/key-ring.ts';
import { createExportRows, type ExportRows } from '../../support/database/export-rows.ts';
import { startMailServer, type MailServer } from '../../support/servers/mail-server.ts';
import {
  startWebhookReceiver,
  type ReceivedWebhook,
  type WebhookReceiver,
} from '../../support/servers/webhook-receiver.ts';

const KEY = randomBytes(32);
const SECRET = `whsec_${KEY.toString('base64')}`;

describe('notifications', () => {
  let rows: ExportRows;
  let receiver: WebhookReceiver;
  let mailServer: MailServer;
  let mailer: Mailer;
  const sealed = configEncryption(createKeyRing(generateKeyRing()));
  const rules = hostRules(['127.0.0.1']);

  before(async () => {
    [rows, receiver, mailServer] = await Promise.all([createExportRows(), startWebhookReceiver(), startMailServer()]);
    mailer = createMailer({ url: mailServer.url, from: 'sluice@example.com' });
  });
  after(async () => {
    mailer.close();
    await Promise.all([rows.close(), receiver.stop(), mailServer.stop()]);
  });
  beforeEach(async () => {
    await rows.db('notifications').delete();
    receiver.received.length = 0;
    receiver.answers.length = 0;
    mailServer.mails.length = 0;
    mailServer.refuses = false;
  });

  async function build(given: NotificationsIn): Promise<BatchExport> {
    const row = { id: randomUUID(), projectId: rows.projectId, notifications: null, notificationSecret: null };
    const columns = await notificationSettings(sealed, rules, true).columns(row, given);
    return rows.buildExport({ ...row, ...columns, name: 'Orders to S3' });
  }
  const buildHook = (path = '/hook?to=us') => build({ webhook: { url: `${receiver.url}${path}`, secret: SECRET } });
  const buildMail = () => build({ emails: ['a@example.com', 'b@example.com'] });
  const tell = ({ id }: BatchExport, kind: NoticeKind = 'failed', summary = 'A run failed.') =>
    rows.stores.outbox.add(id, { kind, summary, details: { run: { id: 'one' } } });
  const deliver = (hosts = rules) =>
    deliverNotifications(
      { stores: rows.stores, configs: sealed, rules: hosts, mailer },
      { signal: new AbortController().signal },
    );
  /** As if so much time had passed for what waits. */
  const pass = (interval: string) =>
    rows.db.raw(
      `update notifications set due_at = due_at - interval '${interval}', closed_at = closed_at - interval '${interval}'`,
    );
  const outbox = async () => (await rows.db('notifications')) as { closed_at: string | null; delivered: boolean }[];
  const secondsToWait = async () => {
    const { rows: found } = await rows.db.raw<{ rows: { wait: number }[] }>(
      'select extract(epoch from due_at - clock_timestamp())::float8 as wait from notifications',
    );
    return Math.round(found[0]!.wait);
  };
  const logOf = async ({ id }: BatchExport) =>
    (await rows.stores.logs.list({ batchExportId: id, limit: 10, offset: 0 })).results.map(({ message }) => message);

  describe('by webhook', () => {
    it('are CloudEvents in JSON', async () => {
      const one = await buildHook();
      await tell(one);
      assert.deepEqual(await deliver(), { delivered: 1, postponed: 0 });
      const [{ path, headers, body }] = receiver.received as [ReceivedWebhook];
      assert.equal(path, '/hook?to=us');
      assert.equal(headers['content-type'], 'application/cloudevents+json; charset=utf-8');
      const { id, time, ...event } = JSON.parse(body) as Record<string, unknown>;
      assert.equal(id, headers['webhook-id']);
      assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      assert.deepEqual(event, {
        specversion: '1.0',
        type: 'sluice.batch_export.failed',
        source: `/api/projects/${rows.projectId}/batch_exports/${one.id}/`,
        subject: one.id,
        datacontenttype: 'application/json',
        data: {
          batch_export: {
            id: one.id,
            team_id: rows.projectId,
            name: 'Orders to S3',
            destination: 'LocalFile',
            interval: 'hour',
          },
          summary: 'A run failed.',
          run: { id: 'one' },
        },
      });
    });

    it('wait while the database may be a copy', async () => {
      await tell(await buildHook());
      await rows.db('timeline').update({ blocked: 'differs' });
      assert.deepEqual(await deliver(), { delivered: 0, postponed: 0 });
      assert.deepEqual(receiver.received, []);
      await rows.db('timeline').update({ blocked: null });
      assert.deepEqual(await deliver(), { delivered: 1, postponed: 0 });
    });

    it('of one export reach it when the secret of another one cannot be opened', async () => {
      const [broken, whole] = [await buildHook(), await buildHook('/whole')];
      await rows.db('batch_exports').where({ id: broken.id }).update({ notification_secret: 'not sealed by our keys' });
      await tell(broken);
      await tell(whole);
      assert.deepEqual(await deliver(), { delivered: 1, postponed: 1 });
      assert.deepEqual(
        receiver.received.map(({ path }) => path),
        ['/whole'],
      );
      assert.match((await logOf(broken)).join(), /did not arrive: its secret cannot be decrypted/);
    });

    it('are signed, as Standard Webhooks has it', async () => {
      await tell(await buildHook());
      await deliver();
      const [{ headers, body }] = receiver.received as [ReceivedWebhook];
      const timestamp = headers['webhook-timestamp'];
      const signed = createHmac('sha256', KEY).update(
        `${headers['webhook-id'] as string}.${timestamp as string}.${body}`,
      );
      assert.equal(headers['webhook-signature'], `v1,${signed.digest('base64')}`);
      assert.ok(Math.abs(Date.now() / 1000 - Number(timestamp)) < 60);
    });

    it('arrive once', async () => {
      await tell(await buildHook());
      await deliver();
      await pass('1 hour');
      assert.deepEqual(await deliver(), { delivered: 0, postponed: 0 });
      assert.equal(receiver.received.length, 1);
    });

    for (const answer of [500, 400, 302]) {
      it(`that are answered with ${answer} are sent again, under the same id, later and later`, async () => {
        receiver.answers.push(answer, 500);
        const one = await buildHook();
        await tell(one);
        assert.deepEqual(await deliver(), { delivered: 0, postponed: 1 });
        assert.equal(await secondsToWait(), 30);
        await deliver();
        assert.equal(receiver.received.length, 1, 'not before its time');
        await pass('30 seconds');
        await deliver();
        assert.equal(await secondsToWait(), 60);
        await pass('1 minute');
        assert.deepEqual(await deliver(), { delivered: 1, postponed: 0 });
        const [first, ...later] = receiver.received;
        assert.deepEqual(
          later.map(({ path, body }) => [path, body]),
          [1, 2].map(() => ['/hook?to=us', first!.body]),
          'no redirect is followed',
        );
        assert.equal((await logOf(one)).length, 1);
      });
    }

    it('are given up after three days, and the export’s log says so', async () => {
      receiver.answers.push(500);
      const one = await buildHook();
      await tell(one);
      await rows.db('notifications').update({ attempts: 75 });
      await deliver();
      const [given] = await outbox();
      assert.ok(given?.closed_at);
      assert.equal(given.delivered, false);
      assert.deepEqual(await logOf(one), [
        'The webhook for "failed" did not arrive: it answered 500. It will not be retried.',
      ]);
    });

    it('go to no host that may no longer be contacted', async () => {
      const one = await buildHook();
      await tell(one);
      assert.deepEqual(await deliver(hostRules([])), { delivered: 0, postponed: 1 });
      assert.equal(receiver.received.length, 0);
      assert.match((await logOf(one))[0]!, /its host cannot be used/);
      assert.ok(!(await logOf(one))[0]!.includes('127.0.0.1'));
    });

    it('are not sent once nobody is subscribed any more', async () => {
      const one = await buildHook();
      await tell(one);
      await rows.stores.batchExports.update(one.id, { notifications: null, notificationSecret: null });
      await deliver();
      assert.equal(receiver.received.length, 0);
      assert.ok((await outbox())[0]!.closed_at);
    });

    it('claimed by a worker that never closed them are delivered by another worker', async () => {
      await tell(await buildHook());
      assert.equal((await rows.stores.outbox.takeForWebhooks(10)).length, 1);
      await deliver();
      assert.equal(receiver.received.length, 0, 'they may be on their way');
      await pass('2 minutes');
      await deliver();
      assert.equal(receiver.received.length, 1);
    });

    it('are not kept waiting by a receiver that does not answer', async function () {
      this.timeout(60_000);
      receiver.answers.push('silence');
      const one = await buildHook();
      for (let count = 0; count < 5; count++) await tell(one);
      const { delivered, postponed } = await deliver();
      assert.deepEqual([delivered, postponed], [4, 1]);
    });
  });

  describe('by mail', () => {
    it('are letters of plain words', async () => {
      await tell(await buildMail(), 'paused', 'Paused: 4 of the last 7 runs failed.');
      assert.deepEqual(await deliver(), { delivered: 1, postponed: 0 });
      const [mail] = mailServer.mails;
      assert.deepEqual([mail!.from, mail!.to], ['sluice@example.com', ['a@example.com', 'b@example.com']]);
      assert.match(mail!.text, /^Subject: Sluice: Orders to S3 is paused\r$/m);
      assert.match(mail!.text, /UTC {2}Paused: 4 of the last 7 runs failed\./);
    });

    it('are one a day and export; what happened meanwhile is in the next one, all of it', async () => {
      const [one, other] = [await buildMail(), await buildMail()];
      await tell(one, 'failed', 'first');
      await tell(other, 'failed', 'of another');
      await deliver();
      for (const summary of ['second', 'third']) await tell(one, 'recovered', summary);
      await deliver();
      assert.equal(mailServer.mails.length, 2);
      await pass('23 hours');
      await deliver();
      assert.equal(mailServer.mails.length, 2);
      await pass('61 minutes');
      assert.deepEqual(await deliver(), { delivered: 1, postponed: 0 });
      assert.equal(mailServer.mails.length, 3);
      assert.match(mailServer.mails[2]!.text, /second[^]+third/);
      await deliver();
      assert.equal(mailServer.mails.length, 3);
    });

    it('that the mail server does not take now are sent again', async () => {
      mailServer.refuses = true;
      const one = await buildMail();
      await tell(one);
      assert.deepEqual(await deliver(), { delivered: 0, postponed: 1 });
      assert.deepEqual(await logOf(one), [
        'An email for "failed" did not arrive: the mail server could not take it (451). It will be retried.',
      ]);
      mailServer.refuses = false;
      await pass('30 seconds');
      await deliver();
      assert.equal(mailServer.mails.length, 1);
    });
  });
});
