/** A mail server that records accepted mails. */
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export type MailServer = {
  /** Value for SMTP_URL. */
  url: string;
  mails: { from: string; to: string[]; text: string }[];
  /** While true, the server refuses every mail temporarily. */
  refuses: boolean;
  stop(): Promise<void>;
};

const USER = { username: 'sluice', password: 'p@ss word' };

export async function startMailServer(): Promise<MailServer> {
  const mails: MailServer['mails'] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    onAuth({ username, password }, _session, done) {
      const known = username === USER.username && password === USER.password;
      done(known ? null : new Error('unknown user'), { user: username });
    },
    onData(stream, { envelope }, done) {
      void text(stream).then((whole) => {
        if (mailServer.refuses) return done(Object.assign(new Error('try again later'), { responseCode: 451 }));
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), text: whole });
        done();
      });
    },
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.server.address() as AddressInfo;
  const mailServer: MailServer = {
    url: `smtp://${USER.username}:${encodeURIComponent(USER.password)}@127.0.0.1:${port}`,
    mails,
    refuses: false,
    stop: () => new Promise((stopped) => server.close(() => stopped())),
  };
  return mailServer;
}
