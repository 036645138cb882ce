/**
 * Sends several statements in one message, by Postgres's simple query protocol: one round trip, even with the rows of a COPY.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-SIMPLE-QUERY
 */
import type { Connection, Submittable } from 'pg';

/** The values of a row as text. */
export type Fields = readonly (string | null)[];

type Sender = { query(query: Submittable): unknown };

type QueryOptions = {
  /** Time after which the connection of an unfinished query is cut, because Postgres, or the network on the way to it, may be frozen. */
  timeoutMs: number;
  /** Answers `COPY … FROM STDIN`: given the rows so far, the complete CopyData messages and CopyDone. */
  copyIn?(rows: readonly Fields[]): Buffer;
  /** Limit of UTF-16 units in all rows; beyond it the query throws `AnswerTooLarge`, and the connection is cut at once. */
  maxText?: number;
};

/** The connection was cut, because no answer came in time. */
export class NoAnswer extends Error {}

/** The connection was cut, because the rest of the answer would not have fitted into memory. */
export class AnswerTooLarge extends Error {}

/** @returns the rows of all statements, once Postgres is ready for the next message; after an error the connection is unusable */
export function simpleQuery(
  client: Sender,
  sql: string,
  { timeoutMs, copyIn, maxText = Infinity }: QueryOptions,
): Promise<Fields[]> {
  return new Promise((resolve, reject) => {
    const rows: Fields[] = [];
    let text = 0;
    let stream: Connection['stream'] | undefined;
    let timer: NodeJS.Timeout | undefined;
    const query: Query = {
      submit(connection) {
        stream = connection.stream;
        timer = setTimeout(() => connection.stream.destroy(new NoAnswer('Postgres does not answer')), timeoutMs);
        connection.query(sql);
      },
      handleRowDescription() {},
      handleDataRow({ fields }) {
        for (const field of fields) text += field?.length ?? 0;
        if (text <= maxText) rows.push(fields);
        else stream?.destroy(new AnswerTooLarge());
      },
      handleCommandComplete() {},
      handleCopyInResponse(connection) {
        connection.stream.write(copyIn!(rows));
      },
      handleError(error) {
        clearTimeout(timer);
        reject(error);
      },
      handleReadyForQuery() {
        clearTimeout(timer);
        resolve(rows);
      },
    };
    client.query(query);
  });
}

/** The methods that pg's Client calls on its active query; its types know `submit` only. */
type Query = Submittable & {
  handleRowDescription(): void;
  handleDataRow(message: { fields: Fields }): void;
  handleCommandComplete(): void;
  handleCopyInResponse(connection: Connection): void;
  handleError(error: Error): void;
  handleReadyForQuery(): void;
};

/** A text as it stands in SQL, whatever `standard_conforming_strings` is set to. */
export function quoteText(text: string): string {
  const doubled = text.replaceAll("'", "''");
  return text.includes('\\') ? `E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`;
}

/** Quotes texts as one array literal. */
export function quoteTextArray(texts: readonly string[]): string {
  const elements = texts.map((text) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`);
  return quoteText(`{${elements.join(',')}}`);
}
