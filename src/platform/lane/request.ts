/** Requests that a lane may answer before the application does, read by `node:http` or directly from the connection. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** A request that arrived whole. Its properties are those of `IncomingMessage`, and `bytes` is the body. */
export class WholeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
  readonly bytes: Buffer;

  constructor(head: Pick<WholeRequest, 'method' | 'url' | 'headers'>, bytes: Buffer, socket: Socket) {
    this.method = head.method;
    this.url = head.url;
    this.headers = head.headers;
    this.bytes = bytes;
    this.socket = socket;
  }

  /** Each header has a single value. */
  get headersDistinct(): NodeJS.Dict<string[]> {
    return Object.fromEntries(Object.entries(this.headers).map(([name, value]) => [name, [value as string]]));
  }
}

export type LaneRequest = IncomingMessage | WholeRequest;

/** Names and values, which hold no line breaks. */
export type HeaderFields = Readonly<Record<string, string>>;

/** Sends the answer. Called once. @param text JSON; undefined: no body */
export type Reply = (status: number, text: string | undefined, headers?: HeaderFields) => void;

/** @returns false, without touching the request, when it is for another handler. Never throws */
export type Lane = (request: LaneRequest, reply: Reply) => boolean;
