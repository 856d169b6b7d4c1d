//! The rules of backgammon: tables of counts, golden cases, a second, slow generator.

mod board;
mod drawing;
mod figures;
mod golden;
mod money_and_match;
mod notation;
mod perft;
mod play_text;
mod random_play;
mod slow;
mod slow_generator;
