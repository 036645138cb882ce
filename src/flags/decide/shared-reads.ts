/**
 * Answers several concurrent questions with one statement: questions that arrive in the same turn of the event loop, or while the maximum
 * number of statements is running. No question waits for further ones to arrive. The busier the process, the more questions share a
 * statement, and the cheaper each becomes.
 */
import { SQL_STATE, sqlState } from '../../platform/db/sql-states.ts';
import { isDatabaseAway } from '../../platform/db/away.ts';

/** Maximum number of concurrent statements: half of the connections that decisions have. */
const MAX_CONCURRENT = 4;
/**
 * Maximum number of questions in one statement. It is small because a failed statement is repeated for each question alone, and all
 * answers of a statement are processed in one turn of the event loop.
 */
const MAX_BATCH = 64;
/** How long a question waits for its statement to start. */
const MAX_WAIT_MS = 500;
const CHECK_EVERY_MS = 100;
/** How long a question waits for its answer after that, including retries. */
const MAX_ANSWER_MS = 1_500;

export type SharedReadsOptions<Question, Answer> = {
  /** Answers all questions with one statement, in their order. */
  read(questions: readonly Question[]): Promise<readonly Answer[]>;
  /** The answer to a question that could not be read. */
  fallback: Answer;
  /** Maximum number of questions in a statement. */
  maxBatch?: number;
};

/** Never rejects. */
export type AskShared<Question, Answer> = (projectId: number, question: Question) => Promise<Answer>;

type Waiting<Question, Answer> = { question: Question; queuedAt: number; resolve(answer: Answer): void };

export function createSharedReads<Question, Answer>({
  read,
  fallback,
  maxBatch = MAX_BATCH,
}: SharedReadsOptions<Question, Answer>): AskShared<Question, Answer> {
  type WaitingQuestion = Waiting<Question, Answer>;
  /** Waiting questions by project, in the order in which projects take turns. */
  const queues = new Map<number, WaitingQuestion[]>();
  let running = 0;
  let isSending = false;
  let lateTimer: NodeJS.Timeout | undefined;

  function scheduleSend(): void {
    if (running === MAX_CONCURRENT) lateTimer ??= setTimeout(giveUpLate, CHECK_EVERY_MS).unref();
    if (isSending || running === MAX_CONCURRENT) return;
    isSending = true;
    setImmediate(send);
  }

  function send(): void {
    isSending = false;
    while (running < MAX_CONCURRENT && queues.size > 0) void answer(takeBatch());
    if (queues.size > 0) scheduleSend();
  }

  /** Takes one question of each project in turn, so no project waits for all questions of another. */
  function takeBatch(): WaitingQuestion[] {
    const batch: WaitingQuestion[] = [];
    for (const [projectId, queue] of queues) {
      batch.push(queue.shift()!);
      // Moves the project to the end of the line; this loop reaches it again.
      queues.delete(projectId);
      if (queue.length > 0) queues.set(projectId, queue);
      if (batch.length === maxBatch) break;
    }
    return batch;
  }

  async function answer(batch: readonly WaitingQuestion[]): Promise<void> {
    running += 1;
    const timer = setTimeout(() => giveUp(batch), MAX_ANSWER_MS);
    try {
      const answers = await read(batch.map(({ question }) => question));
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index]!);
    } catch (error) {
      if (batch.length > 1 && mayComeFromOneQuestion(error)) await Promise.all(batch.map(answerAlone));
      else giveUp(batch);
    }
    clearTimeout(timer);
    running -= 1;
    if (queues.size > 0) scheduleSend();
  }

  /** Repeats one question of a failed statement, so a bad question does not fail the others. */
  async function answerAlone({ question, resolve }: WaitingQuestion): Promise<void> {
    try {
      const [answer] = await read([question]);
      resolve(answer!);
    } catch {
      resolve(fallback);
    }
  }

  function giveUp(batch: readonly WaitingQuestion[]): void {
    for (const { resolve } of batch) resolve(fallback);
  }

  function giveUpLate(): void {
    lateTimer = undefined;
    const latest = performance.now() - MAX_WAIT_MS;
    for (const [projectId, queue] of queues) {
      while (queue[0] && queue[0].queuedAt < latest) queue.shift()!.resolve(fallback);
      if (queue.length === 0) queues.delete(projectId);
    }
    if (queues.size > 0) scheduleSend();
  }

  return (projectId, question) =>
    new Promise((resolve) => {
      const entry = { question, queuedAt: performance.now(), resolve };
      const queue = queues.get(projectId);
      if (queue) queue.push(entry);
      else queues.set(projectId, [entry]);
      scheduleSend();
    });
}

/** Whether the error may come from a single question, not from the database. */
function mayComeFromOneQuestion(error: unknown): boolean {
  return !isDatabaseAway(error) || sqlState(error) === SQL_STATE.queryCanceled;
}
