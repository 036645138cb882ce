/** The server's answers to a batch, as the sender understands them. */

export type Answer = {
  /** Refused items by their index in the batch, with the reason. */
  rejected: { index: number; reason: string }[];
  /** Sentences about items that were stored differently from what was sent. */
  warnings: string[];
  /** The sentence of an error, `{type, code, detail, attr}`. */
  detail: string | undefined;
};

type Body = {
  detail?: string;
  rejected?: { index: number; detail: string }[];
  warnings?: { detail: string }[];
};

/** Reads a body of our capture endpoint; any other body gives empty lists. */
export function readAnswer(text: string): Answer {
  const { detail, rejected = [], warnings = [] } = parse(text);
  return {
    rejected: rejected.map(({ index, detail: reason }) => ({ index, reason })),
    warnings: warnings.map((warning) => warning.detail),
    detail,
  };
}

function parse(text: string): Body {
  try {
    return (JSON.parse(text) ?? {}) as Body;
  } catch {
    return {};
  }
}

/**
 * Whether the events themselves are at fault, so fewer of them may pass. A 400 without a reason is not from a server of ours; a 413 may
 * be from a proxy before it.
 */
export const isFaultyContent = (status: number, detail: string | undefined) =>
  status === 413 || (status === 400 && detail !== undefined);

/** Whether the same request may pass later. */
export const isRetryable = (status: number) => status === 408 || status === 429 || status >= 500;
