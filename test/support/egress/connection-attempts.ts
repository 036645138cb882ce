/** Records the connections that this process tries to open, below every client, agent and check. */
import { Socket, type SocketConnectOpts } from 'node:net';

/** Address and port of an attempt; the path of one to a Unix socket. */
export type Attempt = string;

/** @returns the attempts so far, a list that grows, and a function that ends recording */
export function recordAttempts(): { attempts: Attempt[]; end(): void } {
  const attempts: Attempt[] = [];
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its socket below
  const connect = Socket.prototype.connect as (this: Socket, ...args: unknown[]) => Socket;
  Socket.prototype.connect = function recorded(this: Socket, ...args: unknown[]) {
    // Node normalizes arguments before it calls this method: the first is then a list.
    const [options] = (Array.isArray(args[0]) ? args[0] : args) as [SocketConnectOpts | string | number];
    if (typeof options === 'string' && !/^\d+$/.test(options)) attempts.push(options);
    else if (typeof options === 'object' && 'path' in options && options.path) attempts.push(options.path);
    this.on('connectionAttempt', (address: string, port: number) => attempts.push(`${address} ${port}`));
    return connect.apply(this, args);
  } as typeof Socket.prototype.connect;
  return {
    attempts,
    end() {
      Socket.prototype.connect = connect as typeof Socket.prototype.connect;
    },
  };
}
