/** Notices by mail: one letter for all waiting notices. */
import { createTransport } from 'nodemailer';
import type { Outgoing } from './outbox.store.ts';
import type { Subject } from './webhook.ts';

export type MailOptions = {
  /** SMTP_URL: `smtp://user:password@host:port` or `smtps://…` */
  url: string;
  /** MAIL_FROM */
  from: string;
};

export type Mailer = {
  /** @returns undefined when the mail server accepted it, else the reason, without names of servers */
  send(to: readonly string[], letter: Letter): Promise<string | undefined>;
  close(): void;
};

export type Letter = { id: string; subject: string; text: string };

const TIMEOUT_MS = 15_000;

export function createMailer({ url, from }: MailOptions): Mailer {
  const transport = createTransport({
    url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(to, { id, subject, text }) {
      try {
        // The same letter has the same id however often it is sent: many mailboxes show it once.
        await transport.sendMail({ from, to: [...to], subject, text, messageId: `<${id}@sluice>` });
        return undefined;
      } catch (error) {
        const { responseCode, code } = error as { responseCode?: number; code?: string };
        return `the mail server could not take it (${responseCode ?? code ?? 'unknown error'})`;
      }
    },
    close: () => transport.close(),
  };
}

const HEADLINES: Record<Outgoing['kind'], string> = {
  failed: 'failed',
  recovered: 'recovered',
  paused: 'is paused',
  behind_schedule: 'is behind schedule',
  gave_up: 'has stopped trying',
  stale: 'is out of date',
  overlapping: 'may write to the same place as another one',
  keeping_files: 'may not delete files that it has replaced',
  source_expiring: 'has undelivered events that are about to be deleted',
  schedule_changed: 'has a schedule that was changed in Temporal',
};

/** @param notices of one export, oldest first, at least one */
export function composeEmail(notices: readonly Outgoing[], subject: Subject): Letter {
  const newest = notices.at(-1)!;
  const lines = notices.map(({ createdAt, summary }) => `${createdAt.slice(0, 16).replace('T', ' ')} UTC  ${summary}`);
  const text = [
    `Batch export "${subject.name}" (${subject.interval}, to ${subject.destinationType}) of project ${subject.projectId}:`,
    '',
    ...lines,
    '',
    'You get at most one such mail a day for this export.',
    `Batch export ${subject.id}`,
    '',
  ].join('\n');
  return { id: notices[0]!.id, subject: `Sluice: ${subject.name} ${HEADLINES[newest.kind]}`, text };
}
