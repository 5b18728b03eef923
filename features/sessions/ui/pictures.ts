/** Pictures that are pasted into a prompt. */
import { pictureAddress } from './shown/Picture';

/** A picture as the program takes it: its kind of file and its bytes in base64. */
export interface PromptPicture {
  media: string;
  data: string;
}

/** Pictures of one prompt, and bytes of one picture. */
export const PICTURES_MAX = 8;
export const PICTURE_BYTES_MAX = 5 * 1024 * 1024;

/** Reads a file as a picture; a sentence that says why where it is not taken. */
export async function readPicture(file: File): Promise<PromptPicture | string> {
  if (file.size > PICTURE_BYTES_MAX)
    return `${file.name || 'The image'} is larger than ${PICTURE_BYTES_MAX / 1024 / 1024} MiB.`;
  const address = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("Couldn't read the image."));
    reader.readAsDataURL(file);
  });
  const data = address.slice(address.indexOf(',') + 1);
  return pictureAddress(file.type, data) === null
    ? `${file.name || 'The file'} isn't a PNG, JPEG, GIF, or WebP image.`
    : { media: file.type, data };
}
