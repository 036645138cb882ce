/**
 * Answers several concurrent questions with one statement: questions that arrive in the same turn of the event loop, or while the maximum
 * number of statements is running. No question waits for further ones to arrive. The busier the process, the more questions share a
 * statement, and the cheaper each becomes.
 */
import { SQL_STATE, sqlState } from '../../platform/db/sql-states.ts';
import { isDatabaseAway } from '../../platform/db/away.ts';

/** Maximum number of concurrent statements: half of the connections that decisions have. */
const AT_ONCE = 4;
/**
 * Maximum number of questions in one statement. It is small because a failed statement is repeated for each question alone, and all
 * answers of a statement are processed in one turn of the event loop.
 */
const LARGEST = 64;
/** How long a question waits for its statement to start. */
const LONGEST_WAIT_MS = 500;
const LOOK_EVERY_MS = 100;
/** How long a question waits for its answer after that, including retries. */
const LONGEST_ANSWER_MS = 1_500;

export type SharedReadsOptions<Question, Answer> = {
  /** Answers all questions with one statement, in their order. */
  read(questions: readonly Question[]): Promise<readonly Answer[]>;
  /** The answer to a question that could not be read. */
  unanswered: Answer;
  /** Maximum number of questions in a statement. */
  largest?: number;
};

/** Never rejects. */
export type AskShared<Question, Answer> = (projectId: number, question: Question) => Promise<Answer>;

type Waiting<Question, Answer> = { question: Question; askedAt: number; resolve(answer: Answer): void };

export function createSharedReads<Question, Answer>({
  read,
  unanswered,
  largest = LARGEST,
}: SharedReadsOptions<Question, Answer>): AskShared<Question, Answer> {
  type One = Waiting<Question, Answer>;
  /** Waiting questions by project, in the order in which projects take turns. */
  const queues = new Map<number, One[]>();
  let underWay = 0;
  let isSending = false;
  let watch: NodeJS.Timeout | undefined;

  function sendSoon(): void {
    if (underWay === AT_ONCE) watch ??= setTimeout(dropLate, LOOK_EVERY_MS).unref();
    if (isSending || underWay === AT_ONCE) return;
    isSending = true;
    setImmediate(send);
  }

  function send(): void {
    isSending = false;
    while (underWay < AT_ONCE && queues.size > 0) void answer(takeGroup());
    if (queues.size > 0) sendSoon();
  }

  /** Takes one question of each project in turn, so no project waits for all questions of another. */
  function takeGroup(): One[] {
    const group: One[] = [];
    for (const [projectId, queue] of queues) {
      group.push(queue.shift()!);
      // Moves the project to the end of the line; this loop reaches it again.
      queues.delete(projectId);
      if (queue.length > 0) queues.set(projectId, queue);
      if (group.length === largest) break;
    }
    return group;
  }

  async function answer(group: readonly One[]): Promise<void> {
    underWay += 1;
    const late = setTimeout(() => giveUp(group), LONGEST_ANSWER_MS);
    try {
      const answers = await read(group.map(({ question }) => question));
      for (const [index, { resolve }] of group.entries()) resolve(answers[index]!);
    } catch (error) {
      if (group.length > 1 && mayBeOneQuestion(error)) await Promise.all(group.map(answerAlone));
      else giveUp(group);
    }
    clearTimeout(late);
    underWay -= 1;
    if (queues.size > 0) sendSoon();
  }

  /** Repeats one question of a failed statement, so a bad question does not fail the others. */
  async function answerAlone({ question, resolve }: One): Promise<void> {
    try {
      const [answer] = await read([question]);
      resolve(answer!);
    } catch {
      resolve(unanswered);
    }
  }

  function giveUp(group: readonly One[]): void {
    for (const { resolve } of group) resolve(unanswered);
  }

  function dropLate(): void {
    watch = undefined;
    const latest = performance.now() - LONGEST_WAIT_MS;
    for (const [projectId, queue] of queues) {
      while (queue[0] && queue[0].askedAt < latest) queue.shift()!.resolve(unanswered);
      if (queue.length === 0) queues.delete(projectId);
    }
    if (queues.size > 0) sendSoon();
  }

  return (projectId, question) =>
    new Promise((resolve) => {
      const one = { question, askedAt: performance.now(), resolve };
      const queue = queues.get(projectId);
      if (queue) queue.push(one);
      else queues.set(projectId, [one]);
      sendSoon();
    });
}

/** Whether the error may come from a single question, not from the database. */
function mayBeOneQuestion(error: unknown): boolean {
  return !isDatabaseAway(error) || sqlState(error) === SQL_STATE.queryCanceled;
}
