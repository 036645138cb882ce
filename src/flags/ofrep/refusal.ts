/** Errors in OFREP's form (https://github.com/open-feature/protocol, service/openapi.yaml, 0.2). */

export type ErrorCode = 'PARSE_ERROR' | 'TARGETING_KEY_MISSING' | 'INVALID_CONTEXT' | 'FLAG_NOT_FOUND' | 'GENERAL';

export type Refusal = {
  errorCode: ErrorCode;
  /** Text for people. */
  errorDetails: string;
};

export function refusal(errorCode: ErrorCode, errorDetails: string): Refusal {
  return { errorCode, errorDetails };
}

export function isRefusal(value: object): value is Refusal {
  return 'errorCode' in value;
}
