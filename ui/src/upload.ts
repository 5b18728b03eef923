/** Uploads a file with progress, which `fetch` doesn't report. */
import { ApiError } from './api';
import { currentToken, tokenRefused } from './session';

export interface UploadOptions {
  /** From 0 to 1. */
  onProgress?: (share: number) => void;
  /** Cancels the upload; the promise is then rejected with an `AbortError`. */
  signal?: AbortSignal;
}

const problemOf = (text: string): Record<string, unknown> => {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
};

/** Posts a file as the part `file` of a form. Returns the response's JSON or throws an `ApiError`. */
export function upload<T>(path: string, file: File, { onProgress, signal }: UploadOptions = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopped = () => reject(new DOMException('Upload canceled.', 'AbortError'));
    if (signal?.aborted) return stopped();
    const sending = new XMLHttpRequest();
    const stop = () => sending.abort();
    const token = currentToken();
    sending.open('POST', path);
    sending.setRequestHeader('Accept', 'application/json');
    if (token) sending.setRequestHeader('Authorization', `Bearer ${token}`);
    sending.upload.onprogress = (event) => event.lengthComputable && onProgress?.(event.loaded / event.total);
    sending.onabort = stopped;
    sending.onerror = () =>
      reject(
        new ApiError(0, {
          code: 'unreachable',
          title: 'No response',
          detail: "Upload failed: can't reach Pilothouse. Try again.",
        }),
      );
    sending.onload = () => {
      if (sending.status === 401 && token) tokenRefused(token);
      const answer = problemOf(sending.responseText);
      if (sending.status >= 200 && sending.status < 300) resolve(answer as T);
      else reject(new ApiError(sending.status, answer));
    };
    sending.onloadend = () => signal?.removeEventListener('abort', stop);
    signal?.addEventListener('abort', stop);
    const form = new FormData();
    form.append('file', file);
    sending.send(form);
  });
}
